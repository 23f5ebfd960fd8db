import type { CompletionOutcome } from "../../adapters/state-adapter-params.ts";
import type { Attempt } from "./attempt.ts";

/** What `complete` gives, and the process function must return: proof that the attempt has its outcome. */
export class CompletionToken {
  readonly attempt: Attempt;
  readonly outcome: CompletionOutcome;

  constructor(attempt: Attempt, outcome: CompletionOutcome) {
    this.attempt = attempt;
    this.outcome = outcome;
  }
}
