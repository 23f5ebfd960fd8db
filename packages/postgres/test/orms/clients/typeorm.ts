import type pg from "pg";
import { DataSource, type EntityManager, EntitySchema } from "typeorm";
import { createTypeOrmStateProvider } from "../../../src/orms/typeorm.ts";
import type { OpenOrm } from "../orm-client.ts";

const Done = new EntitySchema<{ key: string }>({
  name: "done",
  columns: { key: { type: "text", primary: true } },
});

export const openTypeOrm: OpenOrm = async (url, { connectionsMax, acquireTimeoutMs = 0 }) => {
  const dataSource = new DataSource({
    type: "postgres",
    url,
    entities: [Done],
    poolSize: connectionsMax,
    connectTimeoutMS: acquireTimeoutMs,
    poolErrorHandler: () => undefined,
  });
  await dataSource.initialize();
  // Without a listener, a connection that reports its end twice ends the process.
  const { master } = dataSource.driver as unknown as { readonly master: pg.Pool };
  master.on("connect", (client) => client.on("error", () => undefined));
  return {
    stateProvider: createTypeOrmStateProvider(dataSource, { connectionsMax }),
    transaction: (callback) => dataSource.transaction((manager) => callback({ manager })),
    insert: (context, key) => (context as { manager: EntityManager }).manager.insert(Done, { key }),
    close: () => dataSource.destroy(),
  };
};
