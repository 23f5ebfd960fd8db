import { startNats, type NatsService } from "@queuert/test-services/nats";
import { startTcpProxy, type TcpProxy } from "@queuert/test-services/tcp-proxy";
import { extendWithCommon, notifyAdapterTestSuite } from "queuert/testing";
import { afterAll, beforeAll, describe, it as vitestIt } from "vitest";
import { extendWithNatsNotify } from "../src/testing.ts";
import { openNats, openNatsIo } from "./clients.ts";

// Through a proxy, so that connections can be cut.
let nats: NatsService;
let proxy: TcpProxy;
beforeAll(async () => {
  nats = await startNats({ exclusive: true });
  proxy = await startTcpProxy(nats.url);
});
afterAll(async () => {
  await proxy.close();
  await nats.close();
});

describe.each([
  ["nats", openNats],
  ["@nats-io", openNatsIo],
] as const)("%s", (_name, open) => {
  const it = extendWithNatsNotify(extendWithCommon(vitestIt), {
    connect: () => open({ servers: proxy.url }),
    subjectPrefix: () => nats.namespace(),
    breakConnections: async () => {
      proxy.cutAll();
    },
  });
  notifyAdapterTestSuite({ it, hints: true, network: true });
});
