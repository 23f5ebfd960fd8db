import { startPostgres18 } from "../postgres-18.ts";
import { onceServer } from "./once.ts";

export default onceServer("queuert:postgres-18", startPostgres18, ({ url }) => url);
