// A store as it is after a week: a long history of completed jobs, and newer ones in every other status.
import {
  makeAlbum,
  openShop,
  placeOrder,
  type Shop,
  startShopWorker,
} from "../test/browser/shop.ts";
import type { MeasuredStore } from "./stores.ts";

export interface FilledStore {
  readonly shop: Shop;
  /** Ids to ask for. */
  readonly ids: { readonly blocked: string; readonly due: string; readonly album: string };
}

export interface Counts {
  readonly completed: number;
  readonly scheduled: number;
  readonly due: number;
  /** Jobs under the keys of a limit, ten under each. */
  readonly keyed: number;
  /** Each has a job that failed, and one that is blocked by it. */
  readonly orders: number;
}

/** The jobs that are copied: one in a thousand has the rare type. */
const templates = { mails: 700, photos: 299, reports: 1 } as const;

/** Starts them in batches, and returns the id of the last one. */
const startMany = async (
  count: number,
  start: (numbers: readonly number[]) => Promise<readonly { readonly id: string }[]>,
): Promise<string> => {
  let last = "";
  for (let done = 0; done < count; done += 500) {
    const numbers = Array.from({ length: Math.min(500, count - done) }, (_, at) => done + at);
    last = (await start(numbers)).at(-1)?.id ?? last;
  }
  return last;
};

const startMails = (shop: Shop, count: number, afterMs = 0): Promise<string> =>
  startMany(count, (numbers) =>
    shop.startJobSequences({
      sequences: numbers.map((number) => ({
        typeName: "send-mail",
        input: { to: `user${number % 977}@example.com`, template: "welcome" },
        ...(afterMs > 0 && { schedule: { afterMs } }),
      })),
      autocommit: true,
    }),
  );

/** Runs a worker until it has nothing to do. */
const workOff = async (shop: Shop, isUp: boolean): Promise<void> => {
  const worker = await startShopWorker(shop, { isUp }, "shop-1");
  const hasWork = async (): Promise<boolean> => {
    const { items } = await shop.listJobs({ status: ["pending", "running"], limit: 1 });
    return items.length > 0;
  };
  while (await hasWork()) await new Promise((resolve) => setTimeout(resolve, 200));
  await worker.stop();
};

export const fill = async (store: MeasuredStore, counts: Counts): Promise<FilledStore> => {
  const shop = await openShop(store.stateAdapter);
  await startMails(shop, templates.mails);
  await startMany(templates.photos, (numbers) =>
    shop.startJobSequences({
      // The worker lets photo 7 fail.
      sequences: numbers.map((number) => ({
        typeName: "resize-photo",
        input: { photo: 8 + number },
      })),
      autocommit: true,
    }),
  );
  await startMany(templates.reports, (numbers) =>
    shop.startJobSequences({
      sequences: numbers.map(() => ({ typeName: "nightly-report", input: { day: "2026-11-01" } })),
      autocommit: true,
    }),
  );
  await workOff(shop, true);
  await store.copy(counts.completed - templates.mails - templates.photos - templates.reports);

  const album = await makeAlbum(shop, "summer", 200);
  let blocked = "";
  for (let index = 0; index < counts.orders; index++) {
    blocked = (await placeOrder(shop, `A-${index}`)).shipId;
  }
  await workOff(shop, false);
  await startMails(shop, counts.scheduled, 3_600_000);
  const due = await startMany(counts.due, (numbers) =>
    shop.startJobSequences({
      sequences: numbers.map((number) => ({
        typeName: "resize-image",
        input: { url: `https://cdn.example.com/${number}.jpg`, width: 640 },
      })),
      autocommit: true,
    }),
  );
  await shop.upsertSchedules({
    schedules: [
      { name: "nightly", typeName: "nightly-report", input: { day: "today" }, cron: "@daily" },
    ],
  });
  await startMany(counts.keyed, (numbers) =>
    shop.startJobSequences({
      sequences: numbers.map((row) => ({
        typeName: "sync-customer",
        input: { customer: `customer-${Math.floor(row / 10)}`, row },
      })),
      autocommit: true,
    }),
  );
  return { shop, ids: { blocked, due, album: album.id } };
};
