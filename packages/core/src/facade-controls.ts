// The methods of the client for operators: pauses and limits. They take no context, and commit at once.
import type { Engine } from "./engine.ts";
import { type Begin, callLate } from "./facade-call.ts";
import type { PauseOptions } from "./lifecycle/pauses.ts";

type Controls = Readonly<
  Record<
    | "pause"
    | "resume"
    | "getPauses"
    | "setLimits"
    | "deleteLimits"
    | "getLimits"
    | "setLimitKeys"
    | "getLimitKeys",
    (given?: unknown) => Promise<unknown>
  >
>;

export const createControls = (engine: Engine, begin: Begin): Controls => ({
  pause: async (given: unknown) => {
    const names = ["jobTypes", "everything", "limit", "keys", "forMs", "note"];
    const call = begin("pause", given, names);
    return callLate(call, (late) => late.pause(engine, call.own as PauseOptions));
  },

  resume: async (given: unknown) => {
    const call = begin("resume", given, ["jobTypes", "everything", "limit", "keys"]);
    return callLate(call, (late) => late.resume(engine, call.own as PauseOptions));
  },

  setLimits: async (given: unknown) => {
    const call = begin("setLimits", given, ["limits"]);
    return callLate(call, (late) => late.setLimits(engine, call.own["limits"]));
  },

  deleteLimits: async (given: unknown) => {
    const call = begin("deleteLimits", given, ["names"]);
    return callLate(call, (late) => late.deleteLimits(engine, call.own["names"]));
  },

  getLimits: async (given: unknown = {}) => {
    const call = begin("getLimits", given, ["names"]);
    return callLate(call, (late) => late.getLimits(engine, call.own["names"]));
  },

  setLimitKeys: async (given: unknown) => {
    const call = begin("setLimitKeys", given, ["keys"]);
    return callLate(call, (late) => late.setLimitKeys(engine, call.own["keys"]));
  },

  getLimitKeys: async (given: unknown) => {
    const call = begin("getLimitKeys", given, ["limit", "keys"]);
    return callLate(call, (late) => late.getLimitKeys(engine, call.own));
  },

  getPauses: async () => callLate(begin("getPauses", {}, []), (late) => late.getPauses(engine)),
});
