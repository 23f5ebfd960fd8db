// The servers of one run and the wires to them, all its own.
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ServerControl, TcpProxy } from "@queuert/test-services";
import type { NotifyName } from "../../notify/transport.ts";
import type { StoreName } from "../../stores/store.ts";
import type { FaultKind, Setup } from "../fault-plan.ts";
import { copyNextVersion } from "../next-version.ts";
import type { Rewind } from "../forget.ts";
import { startMongo } from "./mongodb.ts";
import { startNotify } from "./notify.ts";
import { startPostgresStore } from "./postgres.ts";
import { startSqlite } from "./sqlite.ts";

/** Something that can have faults: a server, and the wire to it, where a proxy is that wire. */
export interface Reached {
  readonly server: ServerControl;
  readonly proxy: TcpProxy | null;
}

/** A fault that only some servers can have. Answers with the time that the store has forgotten by it. */
export type OwnFault = (durationMs: number, amount: number) => Promise<Rewind | void>;

export type OwnFaults = Readonly<Partial<Record<FaultKind, OwnFault>>>;

export interface StoreService {
  /** By a way that has no faults: for the conductor itself. */
  readonly directStoreUrl: string;
  readonly storeUrl: string;
  readonly store: Reached | null;
  readonly own: OwnFaults;
  readonly close: () => Promise<void>;
}

export interface NotifyService {
  readonly directNotifyUrl: string;
  readonly notifyUrl: string;
  readonly notify: Reached | null;
  readonly own: OwnFaults;
  readonly close: () => Promise<void>;
}

export interface Services extends StoreService, NotifyService {
  readonly storeName: StoreName;
  /** For logs, and for the file of a store that is one. */
  readonly folder: string;
  /** The folder of the next version of the store's package, where the setup has two. */
  readonly nextVersion: string | null;
}

/** The means with which a service is started. */
export interface ServiceMeans {
  readonly setup: Setup;
  readonly folder: string;
  /** A clock that follows that of the machine. */
  readonly now: () => number;
  /** Of the run's processes that live. */
  readonly pids: () => readonly number[];
}

const startStore = (name: StoreName, means: ServiceMeans): Promise<StoreService> => {
  if (name === "sqlite") return startSqlite(means);
  return name === "mongodb" ? startMongo(means) : startPostgresStore(means);
};

export const startServices = async (
  storeName: StoreName,
  notifyName: NotifyName,
  given: Omit<ServiceMeans, "folder">,
): Promise<Services> => {
  const folder = mkdtempSync(join(tmpdir(), "queuert-torture-"));
  // A server that runs as another user must be able to pass through.
  chmodSync(folder, 0o711);
  const next = given.setup === "upgrade" ? await copyNextVersion(storeName) : null;
  const storing = await startStore(storeName, { ...given, folder });
  const notifying = await startNotify(notifyName, storing);
  return {
    ...storing,
    ...notifying,
    ...{ storeName, folder, own: { ...storing.own, ...notifying.own } },
    nextVersion: next?.folder ?? null,
    close: async () => {
      await next?.remove();
      await storing.close();
      await notifying.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
