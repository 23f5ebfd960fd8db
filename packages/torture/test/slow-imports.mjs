// Given to a process with `--import`: each module that the client loads late is found a little later.
import { register } from "node:module";

const hook = `
import { setTimeout as sleep } from "node:timers/promises";
export const resolve = async (specifier, context, next) => {
  if (/late-calls|worker-parts|process-once/.test(specifier)) await sleep(20);
  return next(specifier, context);
};`;

register(`data:text/javascript,${encodeURIComponent(hook)}`);
