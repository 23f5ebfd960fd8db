// A worker with leases of an hour: file and mode are its arguments. In the mode "hold" its job never ends.
import { openClient } from "./definitions.ts";

const [, , filename = "", mode = "hold"] = process.argv;
const { queuert } = await openClient(filename, "NORMAL");

await queuert
  .createWorker()
  .implementJobType({
    typeName: "ship",
    leaseConfig: { leaseMs: 3_600_000, renewIntervalMs: 600_000 },
    process: async ({ job, complete }) => {
      process.stdout.write("ready\n");
      if (mode === "hold") await new Promise(() => undefined);
      return complete({ shipped: job.input.order });
    },
  })
  .implementJobType({
    typeName: "order",
    process: async ({ job, complete }) =>
      complete(async ({ continueWith }) =>
        continueWith({ typeName: "ship", input: { order: job.input.order } }),
      ),
  })
  .start({ workerId: "shipping", pollIntervalMs: 50 });
