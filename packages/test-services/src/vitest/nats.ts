import { startNats } from "../nats.ts";
import { onceServer } from "./once.ts";

export default onceServer("queuert:nats", startNats, ({ url }) => url);
