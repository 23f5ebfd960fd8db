import { errandOf } from "./errand-history.ts";
import { groupBy } from "./group-by.ts";
import { type Check, entriesOf, type Violation } from "./history.ts";

/**
 * A job that is started twice with one id is one job, with the input of the start that stored it. Each start is answered with that
 * id. Retention may take the job, and then the id is free.
 */
export const checkGivenIds: Check = (history) => {
  const violations: Violation[] = [];
  const jobs = new Map(history.control.jobs.map((job) => [job.id, job]));
  const asked = groupBy(entriesOf(history, "idGiving"), ({ id }) => id);
  const answers = groupBy(entriesOf(history, "idGiven"), ({ id }) => id);
  for (const [id, calls] of asked) {
    const own = answers.get(id) ?? [];
    const firstAt = calls[0]?.at ?? 0;
    const lastAt = Math.max(...own.map(({ at }) => at));
    if (lastAt >= firstAt + history.retentionMs) continue;
    const firsts = own.filter(({ isFirst }) => isFirst);
    // The answer of the first one may have been lost.
    const lostCount = calls.length - own.length;
    if (firsts.length > 1 || (firsts.length === 0 && own.length > 0 && lostCount === 0)) {
      violations.push({
        rule: "one start stores the job of an id",
        detail: `${id}: ${firsts.length} of ${own.length}`,
      });
    }
    const others = own.filter(({ answeredId }) => answeredId !== id);
    if (others.length > 0) {
      const detail = `${id}: ${others.map(({ answeredId }) => answeredId).join(", ")}`;
      violations.push({ rule: "a start with an id is answered with it", detail });
    }
    const job = jobs.get(id);
    if (job === undefined) {
      if (own.length > 0) violations.push({ rule: "the job of a given id exists", detail: id });
      continue;
    }
    const { name } = errandOf(job);
    const names =
      firsts.length === 1 ? firsts.map((one) => one.name) : calls.map((one) => one.name);
    if (names.includes(name)) continue;
    const detail = `${id} has ${name}, not ${names.join(" or ")}`;
    violations.push({ rule: "the job of an id has the input of its first start", detail });
  }
  return violations;
};
