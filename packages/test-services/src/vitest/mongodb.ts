import { startMongodb } from "../mongodb.ts";
import { onceServer } from "./once.ts";

export default onceServer("queuert:mongodb", startMongodb, ({ url }) => url);
