// Tokens of plans. A token holds the plan that was shown. It is signed, so it cannot be changed, and it lives for minutes.
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { ScheduleOverlap } from "../../public-types/schedules.ts";
import { PlanRefusedError } from "../operator-errors.ts";

/** The changes that can be planned. */
export type PlanAction = "retry" | "trigger" | "cancel" | "delete";

export const planActions: readonly PlanAction[] = ["retry", "trigger", "cancel", "delete"];

/** The content of a token: of a change of jobs, or of a backfill. */
export type PlanContent = PlanTarget &
  (
    | { readonly action: PlanAction; readonly backfill?: undefined }
    | { readonly action: "backfill"; readonly backfill: PlannedBackfill }
  );

/** The range that a plan starts of a schedule. */
export interface PlannedBackfill {
  readonly name: string;
  /** ISO. Inclusive. */
  readonly from: string;
  /** ISO. Exclusive. */
  readonly to: string;
  /** That of the schedule when it was planned. Another one starts nothing. */
  readonly timing: string;
  readonly overlap: ScheduleOverlap;
}

interface PlanTarget {
  /** The filter with absolute times; null for a plan of ids. */
  readonly filter: string | null;
  readonly ids: readonly string[] | null;
  /** Jobs created after the plan have a larger ordinal. */
  readonly ordinalMax: number;
  readonly count: number;
  readonly user: string | null;
  /** Milliseconds since 1970, by the clock of the process. */
  readonly expiresAt: number;
  /** Makes each plan one of its own. */
  readonly nonce: string;
}

export const createNonce = (): string => randomBytes(12).toString("base64url");

export const createSecret = (): string => randomBytes(32).toString("base64url");

const sign = (body: string, secret: string): Buffer =>
  createHmac("sha256", secret).update(`queuert plan 1.${body}`).digest();

export const encodeToken = (content: PlanContent, secret: string): string => {
  const body = Buffer.from(JSON.stringify(content)).toString("base64url");
  return `${body}.${sign(body, secret).toString("base64url")}`;
};

/** Reads a token. Its signature is checked before its content. */
export const decodeToken = (token: unknown, secret: string): PlanContent => {
  const parts = typeof token === "string" ? token.split(".") : [];
  const [body = "", signature = ""] = parts;
  const given = Buffer.from(signature, "base64url");
  const expected = sign(body, secret);
  const isOurs =
    parts.length === 2 && given.length === expected.length && timingSafeEqual(given, expected);
  if (!isOurs) throw new PlanRefusedError("forged");
  return JSON.parse(Buffer.from(body, "base64url").toString("utf8")) as PlanContent;
};
