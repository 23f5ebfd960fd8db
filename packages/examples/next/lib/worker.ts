import { getQueuert } from "./queuert";

export const createMailWorker = async () =>
  (await getQueuert()).createWorker().implementJobType({
    typeName: "mail",
    process: async ({ job, complete, signal }) => {
      if (job.input.to === "slow") {
        console.log("a slow job runs");
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        console.log(`the slow job ends: ${signal.reason}`);
      }
      return complete(`sent to ${job.input.to}`);
    },
  });
