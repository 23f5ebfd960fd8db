import type { Addresses, TransportName } from "./transports.ts";

/** The configuration of a worker process. */
export interface WorkerPlan {
  readonly kind: "queuert" | "bullmq" | "floor" | "raw" | "bare";
  readonly addresses: Addresses;
  readonly transport: TransportName;
  readonly workerCount: number;
  readonly concurrency: number;
}

export interface Report {
  /** From start to process function, in milliseconds. */
  readonly latencies: readonly number[];
  readonly acquisitions: number;
}
