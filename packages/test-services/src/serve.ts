// A program for scripts: prints the addresses of empty databases, as a line of JSON. First those on PostgreSQL, then those on MongoDB:
// one on each, or as many as its argument says. The servers stop when its input ends.
import { once } from "node:events";
import { startMongodb } from "./mongodb.ts";
import { startPostgres } from "./postgres.ts";

const count = Number(process.argv[2] ?? 1);
const servers = [await startPostgres(), await startMongodb()];
const urls: string[] = [];
for (const server of servers)
  for (let left = count; left > 0; left--) urls.push((await server.createDatabase()).url);
process.stdout.write(`${JSON.stringify(urls)}\n`);
process.stdin.resume();
await once(process.stdin, "end");
await Promise.all(servers.map((server) => server.stop()));
