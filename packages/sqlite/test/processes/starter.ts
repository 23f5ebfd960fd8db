// A process that takes orders, each with its row and its sequence in one transaction, until it is killed.
import type { SqliteSynchronous } from "../../src/providers/better-sqlite3.ts";
import { openClient } from "./definitions.ts";

const [, , filename = "", from = "0", synchronous = "NORMAL"] = process.argv;
const { queuert } = await openClient(filename, synchronous as SqliteSynchronous);

process.stdout.write("ready\n");
for (let number = Number(from); ; number++) {
  await queuert.transaction(async (context) => {
    const sequence = await queuert.startJobSequence({
      ...context,
      typeName: "order",
      input: { order: number },
    });
    context.client.prepare("INSERT INTO customer_order VALUES (?, ?)").run(number, sequence.id);
  });
}
