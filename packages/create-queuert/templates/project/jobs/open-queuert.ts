import { createQueuert } from "queuert";
import { openDatabase } from "./database.ts";
import { jobTypes } from "./job-types.ts";

export const openQueuert = async () => {
  const database = await openDatabase("app");
  const queuert = await createQueuert({
    stateAdapter: database.stateAdapter,
    jobTypeDefinitions: jobTypes,
  });
  /** Ends the workers, and then the connections. */
  const close = async () => {
    await queuert.close();
    await database.close();
  };
  return { queuert, close };
};
