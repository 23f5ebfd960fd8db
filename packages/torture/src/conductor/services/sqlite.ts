import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { copyInto } from "../../stores/sqlite.ts";
import { mountSmallDisk } from "../small-disk.ts";
import { syncingSlowly } from "./own-faults.ts";
import type { OwnFaults, ServiceMeans, StoreService } from "./services.ts";

/** The file's whole content is replaced by an older one, while processes have it open. */
const restoringFile = (path: string, folder: string, now: () => number): OwnFaults => ({
  restore: async (durationMs) => {
    const copy = join(folder, "backup.sqlite");
    const to = now();
    await copyInto(path, copy);
    await sleep(durationMs);
    await copyInto(copy, path);
    return { to, at: now() };
  },
});

export const startSqlite = ({ setup, folder, now, pids }: ServiceMeans): Promise<StoreService> => {
  const disk = setup === "smallDisk" ? mountSmallDisk(join(folder, "disk")) : null;
  const url = join(disk?.folder ?? folder, "jobs.sqlite");
  return Promise.resolve({
    ...{ directStoreUrl: url, storeUrl: url, store: null },
    own: {
      ...restoringFile(url, folder, now),
      ...syncingSlowly(pids),
      ...(disk === null ? {} : { diskFull: (ms) => disk.fill(ms) }),
    },
    close: () => disk?.unmount() ?? Promise.resolve(),
  });
};
