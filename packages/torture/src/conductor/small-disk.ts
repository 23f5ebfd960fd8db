// A file system of its own in memory, which can be filled to the last byte.
import { execFileSync } from "node:child_process";
import { chmodSync, closeSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ServerControl } from "@queuert/test-services";

export interface SmallDisk {
  readonly folder: string;
  /** Full for so long. A server that has ended with an error for it is started again. */
  readonly fill: (ms: number, server?: ServerControl) => Promise<void>;
  readonly unmount: () => Promise<void>;
}

const megabytes = 400;

/** Linux, as root. */
export const mountSmallDisk = (folder: string): SmallDisk => {
  mkdirSync(folder);
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=0711`, "tmpfs", folder]);
  chmodSync(folder, 0o711);
  const filler = join(folder, "filler");

  const writeUntilFull = (): void => {
    const file = openSync(filler, "a");
    try {
      for (let size = 1 << 20; size >= 1; size >>= 1) {
        try {
          for (;;) if (writeSync(file, Buffer.alloc(size)) < size) break;
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
        }
      }
    } finally {
      closeSync(file);
    }
  };
  return {
    folder,
    fill: async (ms, server) => {
      // The space that others free meanwhile is taken as well.
      for (const until = performance.now() + ms; performance.now() < until;) {
        writeUntilFull();
        await sleep(50);
      }
      rmSync(filler);
      await server?.restart();
    },
    unmount: () => {
      execFileSync("umount", [folder]);
      return Promise.resolve();
    },
  };
};
