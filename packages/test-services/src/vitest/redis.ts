import { startRedis } from "../redis.ts";
import { onceServer } from "./once.ts";

export default onceServer("queuert:redis", startRedis, ({ url }) => url);
