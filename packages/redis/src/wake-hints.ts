// Hints: how many jobs of each type a message is about, and how many of them nobody has come for yet. One hash per
// message, so one key per script: every script runs in one slot of a cluster, and different messages in different ones.
// Scripts are named by their digest and sent in full only to a server that does not know them: after a restart, a
// failover, or SCRIPT FLUSH.
import { createHash, randomBytes } from "node:crypto";
import type { JobScheduledHint, OutgoingMessage } from "queuert/internal";
import type { RedisNotifyProvider } from "./redis-provider.ts";

// Messages are read within milliseconds. What is still there after this has nobody left to come for it.
const hintTtlMs = 30_000;

interface Script {
  readonly text: string;
  readonly digest: string;
}

const script = (text: string): Script => ({
  text,
  digest: createHash("sha1").update(text).digest("hex"),
});

// KEYS: hint. ARGV: time to live, channel, message, then type and count in turn. Returns how many have received it.
// Storing and publishing in one script: a reader can never come before the hint, and it is one round trip.
const publishScript = script(`
for i = 4, #ARGV, 2 do
  redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1])
end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return redis.call('PUBLISH', ARGV[2], ARGV[3])
`);

// KEYS: hint. ARGV: type and how many are wanted, in turn. Returns how many were taken of each.
// An emptied hash is no key any more, so hints that were used up leave nothing behind.
const takeScript = script(`
local taken = {}
for i = 1, #ARGV, 2 do
  local left = tonumber(redis.call('HGET', KEYS[1], ARGV[i]) or '0')
  local part = math.min(left, tonumber(ARGV[i + 1]))
  if part > 0 and part == left then
    redis.call('HDEL', KEYS[1], ARGV[i])
  elseif part > 0 then
    redis.call('HINCRBY', KEYS[1], ARGV[i], string.format('-%.0f', part))
  end
  taken[#taken + 1] = part
end
return taken
`);

export interface HintedMessage {
  readonly channel: string;
  /** How many of the channel's subscriptions are ours. */
  readonly ownSubscriptionCount: number;
  readonly message: OutgoingMessage;
}

export interface WakeHints {
  /** Stores the counts and publishes the message that names them; without them where nobody would have to share. */
  publish(message: HintedMessage): Promise<void>;
  take(hintId: string, wanted: readonly JobScheduledHint[]): Promise<readonly number[]>;
}

export const createWakeHints = (provider: RedisNotifyProvider, keyPrefix: string): WakeHints => {
  const hintIdPrefix = randomBytes(9).toString("base64url");
  let hintCount = 0;
  // A single process heard the last message: it is spared the question, and the server the script. When another has come, the
  // first message after that wakes both, and tells us.
  let hasSoleListener = false;

  const run = async ({ text, digest }: Script, key: string, args: string[]): Promise<unknown> => {
    try {
      return await provider.command(["EVALSHA", digest, "1", key, ...args], key);
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith("NOSCRIPT")) throw error;
      // Also loads it, for the next time.
      return provider.command(["EVAL", text, "1", key, ...args], key);
    }
  };
  const pairs = (counts: readonly JobScheduledHint[]): string[] =>
    counts.flatMap(({ typeName, count }) => [typeName, String(count)]);

  return {
    publish: async ({ channel, ownSubscriptionCount, message: { counts, text } }) => {
      const publish = async (): Promise<unknown> => {
        if (hasSoleListener) return provider.command(["PUBLISH", channel, text()], undefined);
        hintCount += 1;
        const hintId = `${hintIdPrefix}-${hintCount.toString(36)}`;
        const args = [String(hintTtlMs), channel, text(hintId), ...pairs(counts)];
        return run(publishScript, keyPrefix + hintId, args);
      };
      const listenerCount = Number(await publish()) - ownSubscriptionCount;
      // A node of a cluster knows its own subscribers only.
      hasSoleListener = !provider.isCluster && listenerCount <= 1;
    },
    take: async (hintId, wanted) => {
      const reply = await run(takeScript, keyPrefix + hintId, pairs(wanted));
      if (!Array.isArray(reply)) throw new TypeError("The reply to taking a hint is no array.");
      return reply.map(Number);
    },
  };
};
