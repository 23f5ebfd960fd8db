import { findChromium } from "../chromium.ts";
import { onceServer } from "./once.ts";

export default onceServer("queuert:chromium", findChromium, ({ path }) => path);
