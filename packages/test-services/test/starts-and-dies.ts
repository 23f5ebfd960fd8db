// Run by lifetime.test.ts: starts a server, says where, and waits to be killed.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { startPostgres } from "../src/postgres.ts";

const server = await startPostgres({ exclusive: true });
const folder = dirname(server.logPath);
const pid = Number(readFileSync(join(folder, "pid"), "utf8"));
console.log(JSON.stringify({ folder, pid }));
setInterval(() => {}, 1_000);
