// Hints: how many jobs of each type a message is about, and how many of them are left. Each message has one hash, so each
// script touches one key: it runs in one slot of a cluster, and messages spread over the slots.
// Scripts are called by their digest. They are sent in full to a server that does not know them: after a restart, a
// failover, or SCRIPT FLUSH.
import { createHash, randomBytes } from "node:crypto";
import type { JobScheduledHint, OutgoingMessage } from "queuert/internal";
import type { RedisNotifyProvider } from "./redis-provider.ts";

// Messages are read within milliseconds. Later, no process is left that would take these jobs.
const hintTtlMs = 30_000;

interface Script {
  readonly text: string;
  readonly digest: string;
}

const script = (text: string): Script => ({
  text,
  digest: createHash("sha1").update(text).digest("hex"),
});

// KEYS: hint. ARGV: time to live, channel, message, then type and count in turn. Returns the number of receivers.
// It stores and publishes in one round trip, and no reader can come before the hint.
const publishScript = script(`
for i = 4, #ARGV, 2 do
  redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1])
end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return redis.call('PUBLISH', ARGV[2], ARGV[3])
`);

// KEYS: hint. ARGV: type and wanted count, in turn. Returns the count taken of each type.
// Redis deletes an empty hash, so used hints leave no key behind.
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
  readonly keyPrefix: string;
  /** How many of the channel's subscriptions belong to this adapter. */
  readonly ownSubscriptionCount: number;
  readonly message: OutgoingMessage;
}

export interface WakeHints {
  /** Stores the counts and publishes the message that names them. For a single listener, it publishes without a hint. */
  publish(message: HintedMessage): Promise<void>;
  take(key: string, wanted: readonly JobScheduledHint[]): Promise<readonly number[]>;
}

export const createWakeHints = (provider: RedisNotifyProvider): WakeHints => {
  const hintIdPrefix = randomBytes(9).toString("base64url");
  let hintCount = 0;
  // The last message had a single receiver: the next one needs no hint and no script. If another process has subscribed
  // since, the next message wakes both, and its reply has the new number.
  let hasSoleListener = false;

  const run = async ({ text, digest }: Script, key: string, args: string[]): Promise<unknown> => {
    try {
      return await provider.command(["EVALSHA", digest, "1", key, ...args], key);
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith("NOSCRIPT")) throw error;
      // EVAL also loads the script.
      return provider.command(["EVAL", text, "1", key, ...args], key);
    }
  };
  const pairs = (counts: readonly JobScheduledHint[]): string[] =>
    counts.flatMap(({ typeName, count }) => [typeName, String(count)]);

  return {
    publish: async ({ channel, keyPrefix, ownSubscriptionCount, message: { counts, text } }) => {
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
    take: async (key, wanted) => {
      const reply = await run(takeScript, key, pairs(wanted));
      if (!Array.isArray(reply)) throw new TypeError("The reply of the script is not an array.");
      return reply.map(Number);
    },
  };
};
