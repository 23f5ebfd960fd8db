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

// KEYS: hint. ARGV: time to live, channel, how many of its subscribers are ours, message with and without the hint's
// name, then type and count in turn.
// Storing and publishing in one script: a reader can never come before the hint, and it is one round trip.
// Where a single process listens besides ours there is nobody to share with: it is spared the question.
const publishScript = script(`
local others = -1
if tonumber(ARGV[3]) >= 0 then
  local subscribed = redis.pcall('PUBSUB', 'NUMSUB', ARGV[2])
  if subscribed[2] then others = subscribed[2] - ARGV[3] end
end
if others == 0 or others == 1 then
  return redis.call('PUBLISH', ARGV[2], ARGV[5])
end
for i = 6, #ARGV, 2 do
  redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1])
end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return redis.call('PUBLISH', ARGV[2], ARGV[4])
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
  /** How many of the channel's subscriptions are ours; in a cluster nobody can count the others. */
  readonly ownSubscriptionCount: number;
  readonly message: OutgoingMessage;
}

export interface WakeHints {
  /** Stores the counts and publishes the message that names them. */
  publish(message: HintedMessage): Promise<void>;
  take(hintId: string, wanted: readonly JobScheduledHint[]): Promise<readonly number[]>;
}

export const createWakeHints = (provider: RedisNotifyProvider, keyPrefix: string): WakeHints => {
  const hintIdPrefix = randomBytes(9).toString("base64url");
  let hintCount = 0;

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
      hintCount += 1;
      const hintId = `${hintIdPrefix}-${hintCount.toString(36)}`;
      const own = provider.isCluster ? -1 : ownSubscriptionCount;
      const args = [String(hintTtlMs), channel, String(own), text(hintId), text()];
      await run(publishScript, keyPrefix + hintId, [...args, ...pairs(counts)]);
    },
    take: async (hintId, wanted) => {
      const reply = await run(takeScript, keyPrefix + hintId, pairs(wanted));
      if (!Array.isArray(reply)) throw new TypeError("The reply to taking a hint is no array.");
      return reply.map(Number);
    },
  };
};
