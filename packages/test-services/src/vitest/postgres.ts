import { startPostgres } from "../postgres.ts";
import { onceServer } from "./once.ts";

export default onceServer("queuert:postgres", startPostgres, ({ url }) => url);
