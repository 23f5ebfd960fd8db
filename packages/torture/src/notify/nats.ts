import { connect } from "@nats-io/transport-node";
import { createNatsNotifyAdapter } from "@queuert/nats";
import type { OpenTransportAt } from "./transport.ts";

export const open: OpenTransportAt = async (url) => {
  const nc = await connect({
    // Of a cluster they are separated by commas.
    servers: url.split(","),
    maxReconnectAttempts: -1,
    reconnectTimeWait: 200,
    pingInterval: 1_000,
    waitOnFirstConnect: true,
  });
  return { notify: await createNatsNotifyAdapter({ nc }), close: () => nc.close() };
};
