// The argument of a process function. Its members are made when first used: most functions need two of them only.
//
// The mode follows from the calls. Staged needs nothing of the store, since the acquisition has committed already:
//   prepare({ mode: "atomic" })  transaction opens here and stays open until the outcome
//   prepare({ mode: "staged" })  its callback has a transaction of its own, then none until complete
//   complete(callback) first     atomic: the callback's transaction is the attempt's only one
//   neither, synchronously       staged
import type { Engine } from "../../engine.ts";
import { ProcessMisuseError } from "../../errors.ts";
import { type Job, toJob } from "../../model/job.ts";
import { toCompletedSequences } from "../../model/sequence.ts";
import { type AfterCommit, createAfterCommit } from "./after-commit.ts";
import type { Attempt } from "./attempt.ts";
import { type Complete, createComplete } from "./complete.ts";
import { createPrepare, type Prepare } from "./prepare.ts";

export class ProcessContext {
  readonly engine: Engine;
  readonly attempt: Attempt;
  #job: Job | null = null;
  #complete: Complete | null = null;
  #prepare: Prepare | null = null;
  #afterCommit: AfterCommit | null = null;
  #isPrepareClosed = false;

  constructor(engine: Engine, attempt: Attempt) {
    this.engine = engine;
    this.attempt = attempt;
  }

  get job(): Job {
    const { job, blockers } = this.attempt.acquired;
    return (this.#job ??= toJob(job, toCompletedSequences(blockers)));
  }

  get signal(): AbortSignal {
    return this.attempt.signal;
  }

  get prepare(): Prepare {
    if (this.#prepare === null) {
      if (this.#isPrepareClosed) {
        throw new ProcessMisuseError("Prepare cannot be accessed after auto-setup");
      }
      this.#prepare = createPrepare(this.engine, this.attempt);
    }
    return this.#prepare;
  }

  get complete(): Complete {
    return (this.#complete ??= createComplete(this.engine, this.attempt, () => {
      this.closePrepare();
    }));
  }

  get afterCommit(): AfterCommit {
    return (this.#afterCommit ??= createAfterCommit(this.attempt));
  }

  /** The synchronous part of the process function is over, or it has called `complete`. */
  closePrepare(): void {
    this.#isPrepareClosed = true;
  }
}
