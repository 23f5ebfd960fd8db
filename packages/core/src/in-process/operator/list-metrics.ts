import type { Database, InProcessOperatorMethod } from "../database.ts";

export const listMetrics =
  (database: Database): InProcessOperatorMethod<"listMetrics"> =>
  async ({ stepMs, from, to, typeNames }) =>
    [...database.metrics.values()]
      .filter(
        (metric) =>
          metric.stepMs === stepMs &&
          metric.at >= from &&
          metric.at < to &&
          (typeNames === null || typeNames.includes(metric.typeName)),
      )
      .map(({ typeName, at, counts }) => ({ typeName, at, counts }))
      .sort((left, right) => left.at.getTime() - right.at.getTime() || compare(left, right));

const compare = (left: { typeName: string }, right: { typeName: string }): number =>
  left.typeName < right.typeName ? -1 : 1;
