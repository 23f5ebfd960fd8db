// The servers of one run and the wires to them, all its own.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type ServerControl,
  startMongodb,
  startNats,
  startPostgres,
  startRedis,
  startTcpProxy,
  type TcpProxy,
} from "@queuert/test-services";
import type { NotifyName } from "../notify/transport.ts";
import type { StoreName } from "../stores/store.ts";

/** Something that can have faults: a server and the wire to it. */
export interface Reached {
  readonly server: ServerControl;
  readonly proxy: TcpProxy;
}

export interface Services {
  /** By a way that has no faults: for the conductor itself. */
  readonly directStoreUrl: string;
  readonly storeUrl: string;
  readonly notifyUrl: string;
  readonly store: Reached | null;
  readonly notify: Reached | null;
  readonly stepDown: () => Promise<void>;
  /** For logs, and for the file of a store that is one. */
  readonly folder: string;
  readonly close: () => Promise<void>;
}

interface StoreService extends Pick<Services, "directStoreUrl" | "storeUrl" | "store"> {
  readonly stepDown: () => Promise<void>;
}

const nothingToStepDown = (): Promise<void> => Promise.resolve();

// Durable: if a server loses acknowledged writes when it crashes, the library would be blamed.
const startStore = async (name: StoreName, folder: string): Promise<StoreService> => {
  if (name === "sqlite") {
    const url = join(folder, "jobs.sqlite");
    return { directStoreUrl: url, storeUrl: url, store: null, stepDown: nothingToStepDown };
  }
  if (name === "postgres") {
    const server = await startPostgres({ exclusive: true, durability: "default" });
    const { url } = await server.createDatabase();
    const proxy = await startTcpProxy(url);
    const store = { server, proxy };
    return { directStoreUrl: url, storeUrl: proxy.url, store, stepDown: nothingToStepDown };
  }
  const server = await startMongodb({
    ...{ exclusive: true, durability: "default" },
    // The locks of a vanished client stay this long: one minute, unless the operator sets another
    // time.
    parameters: { transactionLifetimeLimitSeconds: "5" },
  });
  const { url } = await server.createDatabase();
  const proxy = await startTcpProxy(url);
  // Else the driver would ask the member for its address, and go there past the proxy.
  const storeUrl = proxy.url.replace(/\?.*$/, "?directConnection=true");
  return { directStoreUrl: url, storeUrl, store: { server, proxy }, stepDown: server.stepDown };
};

const startNotify = async (name: NotifyName, storeUrl: string) => {
  if (name !== "redis" && name !== "nats") return { notifyUrl: storeUrl, notify: null };
  const server = await (name === "redis" ? startRedis : startNats)({ exclusive: true });
  const proxy = await startTcpProxy(server.url);
  return { notifyUrl: proxy.url, notify: { server, proxy } };
};

export const startServices = async (store: StoreName, notify: NotifyName): Promise<Services> => {
  const folder = mkdtempSync(join(tmpdir(), "queuert-torture-"));
  const storing = await startStore(store, folder);
  const notifying = await startNotify(notify, storing.storeUrl);
  return {
    ...storing,
    ...notifying,
    folder,
    close: async () => {
      for (const reached of [storing.store, notifying.notify]) {
        await reached?.proxy.close();
        await reached?.server.close();
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
