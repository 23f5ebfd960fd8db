// Messages that no worker has sent: foreign texts, and texts of the right shape that are wrong. They may cost time, and must
// change nothing.
import { connect } from "@nats-io/transport-node";
import { Redis } from "ioredis";
import pg from "pg";
import type { Random } from "../random.ts";
import type { NotifyName } from "./transport.ts";

type Publish = (words: readonly string[], texts: readonly string[]) => Promise<void>;

interface Publisher {
  readonly publish: Publish;
  readonly close: () => Promise<void>;
}

const openNats = async (url: string): Promise<Publisher> => {
  const nc = await connect({ servers: url.split(",") });
  return {
    publish: async (words, texts) => {
      for (const text of texts) nc.publish(words.join("."), text);
      await nc.flush();
    },
    close: () => nc.close(),
  };
};

const openers: Readonly<Partial<Record<NotifyName, (url: string) => Promise<Publisher>>>> = {
  postgres: async (url) => {
    const client = new pg.Client({ connectionString: url });
    client.on("error", () => undefined);
    await client.connect();
    const text = "SELECT pg_notify($1, text) FROM unnest($2::text[]) AS text";
    return {
      publish: async (words, texts) => void (await client.query(text, [words.join("_"), texts])),
      close: () => client.end(),
    };
  },
  redis: async (url) => {
    const client = new Redis(url, { lazyConnect: true });
    client.on("error", () => undefined);
    await client.connect();
    return {
      publish: async (words, texts) => {
        await Promise.all(texts.map((text) => client.publish(words.join(":"), text)));
      },
      close: () => {
        client.disconnect();
        return Promise.resolve();
      },
    };
  },
  nats: openNats,
  natsCluster: openNats,
};

export const canForge = (notify: NotifyName): boolean => notify in openers;

const strange = ["", "no JSON", "[]", "null", '{"v":1}', '{"v":99,"from":"x","jobs":[["step",1]]}'];

const forged = (random: Random, jobIds: readonly string[]): readonly string[] => {
  const ids = [...jobIds.slice(0, 20), "no-such-job"];
  return [
    ...strange,
    "x".repeat(7_000),
    JSON.stringify({
      v: 1,
      from: "forger",
      jobs: [
        ["step", 1_000_000],
        ["unknown", -1],
      ],
    }),
    JSON.stringify({ v: 1, from: "forger", jobs: [["step", 1 + random.below(50)]] }),
    JSON.stringify({ v: 1, from: "forger", ids }),
  ];
};

const burst = 20;

/** Publishes on every channel of the store until the time is up. `jobIds`: of running jobs, whose loss is reported falsely. */
export const flood = async (
  {
    notify,
    url,
    storeId,
  }: { readonly notify: NotifyName; readonly url: string; readonly storeId: string },
  {
    isOver,
    jobIds,
    random,
  }: {
    readonly isOver: () => boolean;
    readonly jobIds: readonly string[];
    readonly random: Random;
  },
): Promise<void> => {
  const publisher = await openers[notify]?.(url);
  if (publisher === undefined) throw new Error(`Nothing forges messages of ${notify}`);
  try {
    while (!isOver()) {
      const texts = Array.from({ length: burst }, () => forged(random, jobIds)).flat();
      for (const word of ["sched", "seqc", "owls"]) {
        await publisher.publish(["queuert", word, storeId], texts);
      }
    }
  } finally {
    await publisher.close();
  }
};
