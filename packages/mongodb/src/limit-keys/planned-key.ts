// A key after its turn: when it is looked at again.
import { fullLimitLookMs, type Gate } from "queuert/internal";
import { activePauseOf, type KeptBack } from "./key-document.ts";
import type { HeldKey, JobsOfKey, KeyedJob } from "./read-keys.ts";

/** A key after its turn. */
export interface PlannedKey {
  readonly held: HeldKey;
  readonly jobs: JobsOfKey;
  readonly started: readonly KeyedJob[];
  /** The next look. Null: a turn of a job is the only reason. "kept": the key keeps its place. */
  readonly lookAt: Date | null | "kept";
  /** Among the looks of that time. */
  readonly turnPlace: number;
  /** Not 0: it goes on with its turn. */
  readonly turnUsed: number;
  /** It could start more, if there was room. */
  readonly hasMore: boolean;
  readonly keptBack: KeptBack;
  /** Undefined: no tokens were taken. */
  readonly backAtUs: number | undefined;
}

/** Why a key starts no more jobs. */
export type Stop =
  | { readonly why: "none" | "paused" | "empty" }
  | { readonly why: "full" | "tokens" | "closed"; readonly at: number };

/** A key in its turn. */
export interface Turn {
  readonly held: HeldKey;
  readonly jobs: JobsOfKey;
  readonly queue: readonly KeyedJob[];
  readonly gate: Gate;
  readonly started: KeyedJob[];
  /** How many jobs of its weight it has started. */
  used: number;
  stop: Stop;
  backAtUs: number | undefined;
}

/** A full key is looked at again because of the end of an attempt. This is for a turn that was lost. */
const fullKeyLookMs = 60_000;
const never = new Date(8.64e15);

export const toPlanned = (turn: Turn, place: number, now: Date, typeName: string): PlannedKey => {
  const { held, jobs, started, used, backAtUs } = turn;
  const isShared = held.document.limitName !== typeName;
  const [lookAt, keptBack, hasMore = false] = nextLook(turn, now, isShared);
  const isSame = lookAt === held.turn.at;
  const turnPlace = isSame ? held.turn.place : place;
  const turnUsed = isSame ? used : 0;
  return { held, jobs, started, lookAt, turnPlace, turnUsed, hasMore, keptBack, backAtUs };
};

type NextLook = readonly [lookAt: PlannedKey["lookAt"], keptBack: KeptBack, hasMore?: boolean];

const nextLook = (turn: Turn, now: Date, isShared: boolean): NextLook => {
  const { held, jobs, queue, gate, started, stop } = turn;
  const after = (ms: number): Date => new Date(now.getTime() + ms);
  if (stop.why === "paused") return [activePauseOf(held.document, now)?.until ?? never, "no"];
  if (held.isCareful && started.length === 0) return ["kept", "no"];
  const waits = held.isCareful || jobs.hasMore || started.length < queue.length;
  if (!waits) return [null, "no"];
  // The end of an attempt of another type leaves no turn for this one.
  if (gate.isFull && isShared) return [after(fullLimitLookMs), "shared"];
  if (gate.isFull) return [after(fullKeyLookMs), "own"];
  if (stop.why === "tokens") return [new Date(Math.ceil(stop.at)), "no"];
  if (started.length === 0) return ["kept", "no", !held.isCareful];
  // It goes on with its turn, or its next one comes after those of the others.
  return [turn.used > 0 ? held.turn.at : now, "no", true];
};
