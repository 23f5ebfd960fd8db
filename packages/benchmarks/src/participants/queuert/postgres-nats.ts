import { Kvm } from "@nats-io/kv";
import { connect } from "@nats-io/transport-node";
import { createNatsNotifyAdapter } from "@queuert/nats";
import { neededUrl } from "../needed-url.ts";
import type { Participant } from "../participant.ts";
import { openWithPg, participant as silent } from "./postgres.ts";

export const participant: Participant = {
  ...silent,
  settings:
    "as queuert-postgres, notifications over NATS with wake-up hints in a KV bucket in memory",
  open: async (target) => {
    const nc = await connect({ servers: neededUrl("natsUrl", target) });
    const kv = await new Kvm(nc).create(target.prefix, { ttl: 60_000, storage: "memory" });
    const notifyAdapter = await createNatsNotifyAdapter({ nc, kv, subjectPrefix: target.prefix });
    return openWithPg(target, { notifyAdapter, close: () => nc.close() });
  },
};
