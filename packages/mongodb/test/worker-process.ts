// Run by faults.test.ts, and killed there. Acquires and completes jobs of a workload for ever. With a phase, it
// reports when it has reached it, and waits.
import { openWorkload } from "./workload.ts";

const [url = "", name = "", fatal] = process.argv.slice(2);
const workload = await openWorkload(url, name, {
  onPhase: async (phase) => {
    if (phase !== fatal) return;
    console.log(phase);
    await new Promise(() => undefined);
  },
});
if (fatal === undefined) console.log("working");
await Promise.all(["1", "2"].map((id) => workload.work(`${process.pid}-${id}`, () => false)));
