// Writes that need no plan: one job, one pause.
import type { ActAnswer, ActRequest } from "../../src/api-types.ts";
import { toast } from "../parts/toasts.tsx";
import { ApiError, post } from "./api.ts";
import { refresh } from "./query.ts";

/** Does it, says how it went, and looks again. */
export const act = async (request: ActRequest, done: string): Promise<void> => {
  try {
    const response = await post("act", request);
    const { done: isDone, reason } = (await response.json()) as ActAnswer;
    if (isDone) toast(done, "good");
    else toast(`Nothing was changed: ${reason ?? "the state has changed since"}.`, "bad");
  } catch (error) {
    toast(error instanceof ApiError ? error.message : String(error), "bad");
  }
  refresh();
};
