// Stores jobs of pg-boss in a database: `node seed-pg-boss.mjs <url> <due time of the first>`.
import { PgBoss } from "pg-boss";
const [url, at] = process.argv.slice(2);
const boss = new PgBoss({ connectionString: url, supervise: false, schedule: false });
boss.on("error", () => undefined);
await boss.start();
for (const name of ["send-mail", "greet", "other", "ignored", "active"])
  await boss.createQueue(name);
const startAfter = new Date(at);
await boss.send("send-mail", { to: "ada" }, { priority: 7, startAfter, singletonKey: "k" });
await boss.send("send-mail", { to: "bob" });
await boss.send("send-mail", { cc: "eve" });
await boss.send("greet", { name: "x" });
await boss.send("other", {});
await boss.send("ignored", {});
await boss.send("active", {});
await boss.fetch("active");
await boss.stop({ graceful: false });
process.exit(0);
