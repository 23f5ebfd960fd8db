import { groupBy } from "./group-by.ts";
import { type Check, entriesOf, type Violation } from "./history.ts";

/** A plan is applied once, however often and by however many operators. It changes no more than it counted, and says the truth. */
export const checkPlans: Check = (history) => {
  const jobs = new Map(history.control.jobs.map((job) => [job.id, job]));
  const applied = groupBy(entriesOf(history, "planApplied"), ({ plan }) => plan);
  return entriesOf(history, "planMade").flatMap(({ plan, action, ids, count }): Violation[] => {
    const own = applied.get(plan) ?? [];
    const [first] = own;
    if (first === undefined) return [];
    if (own.length > 1) {
      return [{ rule: "a plan is applied once", detail: `${plan}: ${own.length} times` }];
    }
    const { done, refused } = first;
    // It looks at jobs until it has changed as many as it counted.
    if (done > count || done + refused > ids.length) {
      const detail = `${plan}: ${done} done of ${count}, and ${refused} refused of ${ids.length}`;
      return [{ rule: "a plan changes no more than it counted", detail }];
    }
    const left = ids.filter((id) =>
      action === "cancel" ? jobs.get(id)?.status !== "cancelled" : jobs.has(id),
    );
    if ((action !== "cancel" && action !== "delete") || ids.length - left.length >= done) return [];
    const detail = `${plan}: ${action} of ${done}, and ${left.length} of ${ids.length} are left`;
    return [{ rule: "the effect of a plan is stored", detail }];
  });
};
