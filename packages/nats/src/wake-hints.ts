// Hints in a JetStream KV bucket: how many jobs of each type a message is about and how many nobody has come for yet.
// Taking is a compare-and-set on the revision. The message names the revision it was stored with, so the first to come
// needs one round trip; whoever finds the hint changed reads it and tries again, a few times, and then wakes anyway.
// The counts stand in the message, so the entry may be written before anybody knows them: one is kept ready for the
// next message, which then waits for no bucket.
// A bucket may have no time to live, so each adapter writes to a few keys in turn and never leaves more than those.
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { JobScheduledHint, StoredHint } from "queuert/internal";
import type { NatsKv } from "./nats-connection.ts";

// Hints of one process that may be open at once: a message is taken within milliseconds.
const slotCount = 32;
const attemptsMax = 5;
const retryDelayMaxMs = 5;

// Well below the time to live of any sensible bucket: an entry that has expired can be taken by nobody.
const readyForMs = 10_000;

interface StoredCounts {
  /** Which use of the key this is; another number: the hint has been overwritten. */
  readonly use: number;
  /** Null: nobody has come yet, and what the message says is left. */
  readonly left: Readonly<Record<string, number>> | null;
}

interface HintReference {
  readonly key: string;
  readonly use: number;
  readonly revision: number;
}

export interface WakeHints {
  /** Has an entry for the counts of one message, and returns the id that names it there. */
  put(): Promise<string>;
  take(hint: StoredHint, wanted: readonly JobScheduledHint[]): Promise<readonly number[]>;
}

export const createWakeHints = (kv: NatsKv, subjectPrefix: string): WakeHints => {
  // Keys allow less than subjects do.
  const keyPrefix = `${subjectPrefix.replaceAll(/[^-/=.\w]/g, "_")}.hint.`;
  const instance = randomBytes(6).toString("base64url");
  let uses = 0;

  const parseId = (id: string): HintReference => {
    const parts = /^([-\w]{8})\.(\d+)\.(\d+)$/.exec(id);
    if (parts === null) throw new Error("The hint's id is none of ours.");
    const [, sender = "", use, revision] = parts;
    return { key: keyOf(sender, Number(use)), use: Number(use), revision: Number(revision) };
  };
  const keyOf = (sender: string, use: number): string => `${keyPrefix}${sender}.${use % slotCount}`;

  const read = async (
    { key, use }: HintReference,
    untouched: Left,
  ): Promise<{ left: Left; revision: number }> => {
    const entry = await kv.get(key);
    const stored = entry === null ? undefined : parseCounts(entry.value);
    if (entry === null || stored?.use !== use) throw new Error("The hint is gone.");
    const left = stored.left === null ? untouched : new Map(Object.entries(stored.left));
    return { left, revision: entry.revision };
  };

  const write = ({ key, use }: HintReference, left: Left, revision: number): Promise<number> => {
    const value: StoredCounts = { use, left: Object.fromEntries(left) };
    return kv.update(key, JSON.stringify(value), revision);
  };

  const create = async (): Promise<string> => {
    uses += 1;
    const use = uses;
    const value: StoredCounts = { use, left: null };
    const revision = await kv.put(keyOf(instance, use), JSON.stringify(value));
    return `${instance}.${use}.${revision}`;
  };

  return {
    put: keepOneReady(create),
    take: async ({ id, counts }, wanted) => {
      const reference = parseId(id);
      let known = { left: toLeft(counts), revision: reference.revision };
      for (let attempt = 1; ; attempt += 1) {
        const { left, taken } = subtract(known.left, wanted);
        if (taken.every((count) => count === 0)) return taken;
        try {
          await write(reference, left, known.revision);
          return taken;
        } catch (error) {
          // Somebody was faster, or the bucket cannot be reached: reading tells.
          if (attempt === attemptsMax) throw error;
        }
        // Those who met here should not meet again.
        if (attempt > 1) await sleep(Math.random() * retryDelayMaxMs);
        known = await read(reference, toLeft(counts));
      }
    },
  };
};

/** Answers with what `create` makes; from the second time on with one made beforehand, unless that has become old. */
const keepOneReady = (create: () => Promise<string>): (() => Promise<string>) => {
  let ready: { readonly id: string; readonly since: number } | undefined;
  let isMakingReady = false;
  const makeReady = async (): Promise<void> => {
    if (isMakingReady) return;
    isMakingReady = true;
    try {
      ready = { id: await create(), since: Date.now() };
    } catch {
      // The next message makes its own, and says what is wrong with the bucket.
    } finally {
      isMakingReady = false;
    }
  };
  return async () => {
    const kept = ready;
    ready = undefined;
    const isFresh = kept !== undefined && Date.now() - kept.since < readyForMs;
    const id = isFresh ? kept.id : await create();
    void makeReady();
    return id;
  };
};

type Left = ReadonlyMap<string, number>;

const toLeft = (counts: readonly JobScheduledHint[]): Left =>
  new Map(counts.map(({ typeName, count }) => [typeName, count]));

const subtract = (
  before: Left,
  wanted: readonly JobScheduledHint[],
): { readonly left: Left; readonly taken: readonly number[] } => {
  const left = new Map(before);
  const taken = wanted.map(({ typeName, count }) => {
    const part = Math.min(count, left.get(typeName) ?? 0);
    left.set(typeName, (left.get(typeName) ?? 0) - part);
    return part;
  });
  return { left, taken };
};

const parseCounts = (value: Uint8Array): StoredCounts | undefined => {
  if (value.length === 0) return undefined;
  const stored: unknown = JSON.parse(Buffer.from(value).toString());
  if (typeof stored !== "object" || stored === null) return undefined;
  const { use, left }: { use?: unknown; left?: unknown } = stored;
  if (typeof use !== "number" || typeof left !== "object") return undefined;
  if (left === null) return { use, left };
  const entries = Object.entries(left).filter(
    (entry): entry is [string, number] => typeof entry[1] === "number",
  );
  return { use, left: Object.fromEntries(entries) };
};
