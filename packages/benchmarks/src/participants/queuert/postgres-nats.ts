import { connect } from "@nats-io/transport-node";
import { createNatsNotifyAdapter } from "@queuert/nats";
import { neededUrl } from "../needed-url.ts";
import type { Participant } from "../participant.ts";
import { openWithPg, participant as silent } from "./postgres.ts";

export const participant: Participant = {
  ...silent,
  settings: "as queuert-postgres, notifications over NATS",
  open: async (target) => {
    const nc = await connect({ servers: neededUrl("natsUrl", target) });
    const notifyAdapter = await createNatsNotifyAdapter({ nc, subjectPrefix: target.prefix });
    return openWithPg(target, { notifyAdapter, close: () => nc.close() });
  },
};
