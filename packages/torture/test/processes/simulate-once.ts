// A process of its own for one seed, its argument. Prints what the run came to.
import { simulate } from "../../src/simulation/simulate.ts";

const { jobCount, attemptCount, virtualMs, violations } = await simulate(Number(process.argv[2]));
console.log(JSON.stringify({ jobCount, attemptCount, virtualMs, violations }));
process.exit(0);
