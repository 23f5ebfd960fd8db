// `GET live`: an event each time jobs may have changed. It has no data: the page then asks as before.
import type { Call } from "./route.ts";

const everyMs = 500;

export const live = async ({ operator, streams, query }: Call): Promise<Response> => {
  const sequenceId = query.get("sequence");
  return streams.open({
    everyMs,
    start: (send) =>
      operator.watch({
        sequenceIds: sequenceId === null || sequenceId === "" ? [] : [sequenceId],
        onHint: send,
      }),
  });
};
