import { connect } from "@nats-io/transport-node";
import { createNatsNotifyAdapter } from "@queuert/nats";
import type { OpenTransportAt } from "./transport.ts";

export const open: OpenTransportAt = async (url) => {
  const nc = await connect({
    servers: url,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 200,
    pingInterval: 1_000,
    waitOnFirstConnect: true,
  });
  return { notify: await createNatsNotifyAdapter({ nc }), close: () => nc.close() };
};
