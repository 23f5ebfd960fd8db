// Imported first by a process of the next version: it takes the store's package from the folder of the copy.
import { register } from "node:module";

register("./redirect.mjs", import.meta.url, {
  data: JSON.parse(process.env.QUEUERT_TORTURE_NEXT_VERSION ?? ""),
});
