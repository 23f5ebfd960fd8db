// Run by faults.test.ts, to be killed: takes and completes jobs of a workload for ever, or until it gets to a phase, says so,
// and waits for its end.
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
