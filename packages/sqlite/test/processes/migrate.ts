// A process that only opens the store.
import { openClient } from "./definitions.ts";

const { stateProvider } = await openClient(process.argv[2] ?? "", "NORMAL");
await stateProvider.close();
process.stdout.write("ready\n");
