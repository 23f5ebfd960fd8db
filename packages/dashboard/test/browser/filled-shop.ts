// A shop on PostgreSQL as it is after an hour of work, for pictures: jobs in every state, history, keys, schedules and actions.
import { createPgStateAdapter } from "@queuert/postgres";
import { createPgPoolStateProvider } from "@queuert/postgres/pg";
import { createPgTimeTravel } from "@queuert/postgres/test";
import { startPostgres } from "@queuert/test-services/postgres";
import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "pg";
import { createOperator } from "queuert/operator";
import {
  fillShop,
  makeAlbum,
  openShop,
  placeOrder,
  settled,
  type Shop,
  startMail,
  startShopWorker,
  startSyncs,
} from "./shop.ts";

const minuteMs = 60_000;

const openStore = async (server: Awaited<ReturnType<typeof startPostgres>>) => {
  const pool = new Pool({ connectionString: (await server.createDatabase()).url });
  // Stopping the server ends connections that are already closing.
  pool.on("error", () => undefined);
  const stateAdapter = await createPgStateAdapter({
    stateProvider: createPgPoolStateProvider(pool),
  });
  await stateAdapter.migrateToLatest();
  return { shop: await openShop(stateAdapter), stateAdapter, pool };
};

/** A full shop, and an empty one. */
export const openShops = async () => {
  const server = await startPostgres();
  const [full, empty] = [await openStore(server), await openStore(server)];
  await workForAnHour(full.shop, createPgTimeTravel(full.stateAdapter));
  const facts = await fill(full.shop);
  return {
    ...facts,
    shop: full.shop,
    empty: empty.shop,
    close: async () => {
      for (const { shop, pool } of [full, empty]) {
        await shop.close();
        await pool.end();
      }
      await server.stop();
    },
  };
};

/** An hour of mails, for the charts: after the work of each minute, a minute passes for the store. */
const workForAnHour = async (
  shop: Shop,
  { shiftTimes }: ReturnType<typeof createPgTimeTravel>,
): Promise<void> => {
  const isOpen = async (status: "pending" | "running"): Promise<boolean> =>
    (await shop.listJobs({ status, limit: 1 })).items.length > 0;
  for (let minute = 0; minute < 60; minute++) {
    const mails = Math.round(24 + 10 * Math.sin(minute / 7) + 3 * Math.cos(minute * 1.7));
    await shop.startJobSequences({
      sequences: Array.from({ length: mails }, (_, index) => ({
        typeName: "send-mail" as const,
        input: { to: `user${index}@example.com`, template: "welcome" },
      })),
      autocommit: true,
    });
    const worker = await startShopWorker(shop, { isUp: true }, "shop-0");
    while ((await isOpen("pending")) || (await isOpen("running"))) await sleep(5);
    // A worker that stops reports the attempts that it has counted.
    await worker.stop();
    await shiftTimes(minuteMs);
  }
};

const customers = {
  ...{ acme: 40, globex: 12, hooli: 3, initech: 7, "massive-dynamic": 1, "stark-industries": 25 },
  ...{ umbrella: 9, "wayne-enterprises": 2 },
};

const fill = async (shop: Shop) => {
  await startShopWorker(shop, { isUp: false }, "shop-1");
  await startShopWorker(shop, { isUp: false }, "shop-2");
  const { orders, brokenId } = await fillShop(shop);
  for (let index = 0; index < 60; index++) await startMail(shop, `user${index}@example.com`);
  for (let index = 20; index < 32; index++) await placeOrder(shop, `A-${index}`);
  const album = await makeAlbum(shop, "summer", 40);
  await settled(shop, 17);
  await shop.setLimits({
    limits: [
      { name: "charge-card", concurrency: 5, rate: { count: 100, perMs: minuteMs } },
      { name: "resize-photo", concurrency: 20 },
    ],
  });
  await shop.pause({ jobTypes: ["nightly-report"], note: "incident 88" });
  await startSyncs(shop, customers);
  await shop.setLimitKeys({
    keys: [{ limit: "crm-api", key: "acme", concurrency: 8, weight: 3 }],
  });
  await act(shop);
  await settled(shop, 17);
  await schedule(shop);
  return { orders, brokenId, album };
};

/** The record of actions, with a filter that is long. */
const act = async (shop: Shop): Promise<void> => {
  const operator = createOperator({ queuert: shop });
  const user = "grace@example.com";
  const long = 'status:failed type:send-mail error:"template has no text" since:30d';
  for (const filter of [long, "type:resize-image is:due"]) {
    const action = filter === long ? "retry" : "trigger";
    const plan = await operator.plan({ action, filter, user });
    await operator.apply({ token: plan.token, count: plan.count, user });
  }
  await operator.control({
    ...{ action: "pause_key", limitName: "crm-api", key: "umbrella", user: "ada" },
    note: "they have not paid",
  });
};

const schedule = async (shop: Shop): Promise<void> => {
  await shop.upsertSchedules({
    schedules: [
      {
        ...{ name: "nightly-report", typeName: "nightly-report", input: { day: "today" } },
        ...{ cron: "0 7 * * 1-5", timeZone: "Europe/Vienna" },
      },
      {
        ...{ name: "greetings-to-everyone-on-their-birthdays", typeName: "send-mail" },
        ...{ input: { to: "all@example.com", template: "birthday" }, everyMs: 900_000 },
      },
    ],
  });
  for (let count = 0; count < 3; count++)
    await shop.triggerSchedules({ names: ["nightly-report"] });
};
