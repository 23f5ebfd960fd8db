// A program for scripts: prints the address of an empty database on each server, as a line of JSON. The servers stop when its input ends.
import { once } from "node:events";
import { startMongodb } from "./mongodb.ts";
import { startPostgres } from "./postgres.ts";

const servers = [await startPostgres(), await startMongodb()];
const databases = await Promise.all(servers.map((server) => server.createDatabase()));
process.stdout.write(`${JSON.stringify(databases.map(({ url }) => url))}\n`);
process.stdin.resume();
await once(process.stdin, "end");
await Promise.all(servers.map((server) => server.stop()));
