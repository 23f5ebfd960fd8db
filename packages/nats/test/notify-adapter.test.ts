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
  describe.each([
    ["with a bucket for hints", true],
    ["without hints", false],
  ] as const)("%s", (_name, hints) => {
    const it = extendWithNatsNotify(extendWithCommon(vitestIt), {
      connect: async () => {
        const { nc, kv, close } = await open({ servers: proxy.url, bucket: "queuert" });
        return { nc, kv: hints ? kv : undefined, close };
      },
      subjectPrefix: () => nats.namespace(),
      breakConnections: async () => {
        proxy.cutAll();
      },
    });
    notifyAdapterTestSuite({ it, hints, network: true });
  });
});
