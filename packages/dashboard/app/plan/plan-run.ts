// The application of a plan: lines of progress arrive as they are made, and it can be stopped between two steps.
import { type Signal, signal } from "@preact/signals";
import type { ApplyLine, PlanAnswer } from "../../src/api-types.ts";
import { ApiError, post, readLines } from "../answers/api.ts";
import { refresh } from "../answers/query.ts";

export interface RunState {
  readonly phase: "running" | "stopping" | "finished" | "stopped" | "failed";
  readonly done: number;
  readonly refused: number;
  readonly total: number;
  /** Null: at once. */
  readonly pacePerMinute: number | null;
  readonly refusedJobs: readonly { readonly id: string; readonly reason: string }[];
  readonly message: string | null;
}

export class PlanRun {
  readonly state: Signal<RunState | null> = signal(null);
  #token = "";

  /** `pacePerMinute`: null is at once. */
  async start(plan: PlanAnswer, pacePerMinute: number | null): Promise<void> {
    this.#token = plan.token;
    this.state.value = {
      phase: "running",
      done: 0,
      refused: 0,
      total: plan.count,
      pacePerMinute,
      refusedJobs: [],
      message: null,
    };
    try {
      const body = {
        token: plan.token,
        ...(plan.confirm === "count" && { count: plan.count }),
        ...(pacePerMinute !== null && { pacePerMinute }),
      };
      for await (const line of readLines(await post("apply", body))) this.#take(line as ApplyLine);
      const { phase = "failed" } = this.state.peek() ?? {};
      // The connection ended before the last line. The server has stopped after its step.
      if (phase === "running" || phase === "stopping") {
        this.#change({
          phase: "failed",
          message: "The connection ended. The list shows how far it went.",
        });
      }
    } catch (error) {
      const message = error instanceof ApiError ? error.message : "The connection ended.";
      this.#change({ phase: "failed", message });
    }
    refresh();
  }

  stop(): void {
    this.#change({ phase: "stopping" });
    void post("stop", { token: this.#token }).catch((error: unknown) => {
      this.#change({ message: error instanceof ApiError ? error.message : String(error) });
    });
  }

  #take(line: ApplyLine): void {
    if (line.kind === "failed") {
      this.#change({ phase: "failed", message: line.error.message });
      return;
    }
    const { done, refused, total } = line;
    this.#change({ done, refused, total });
    if (line.kind === "finished") {
      this.#change({
        phase: line.isStopped ? "stopped" : "finished",
        refusedJobs: line.refusedJobs,
      });
    }
  }

  #change(changes: Partial<RunState>): void {
    const state = this.state.peek();
    if (state !== null) this.state.value = { ...state, ...changes };
  }
}
