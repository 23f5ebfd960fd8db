import type { ProcessContextOf } from "@queuert/nestjs";
import type { Queuert } from "queuert";
import { addUser, markWelcomed, type StateAdapter } from "./database.ts";
import type { jobTypes } from "./job-types.ts";

export type Client = Queuert<typeof jobTypes, StateAdapter>;

/** The user and the job are stored together, or not at all. */
export const signUp = (queuert: Client, email: string) =>
  queuert.transaction(async (context) => {
    await addUser(context, email);
    return queuert.startJobSequence({ ...context, typeName: "welcome", input: { email } });
  });

/** The process function: a method of a provider calls it, and so does the worker of the test. */
export const welcome = async ({
  job,
  complete,
}: ProcessContextOf<typeof jobTypes, "welcome", StateAdapter>) => {
  console.log(`a mail to ${job.input.email}`);
  // Your write and the outcome of the job are stored together, too.
  return complete(async (context) => {
    await markWelcomed(context, job.input.email);
    return { sent: true };
  });
};

export const createWorker = (queuert: Client) =>
  queuert.createWorker().implementJobType({ typeName: "welcome", process: welcome });
