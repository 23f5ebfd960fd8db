import { type EntityManager, EntitySchema, MikroORM } from "@mikro-orm/postgresql";
import { createMikroOrmStateProvider } from "../../../src/orms/mikro-orm.ts";
import type { OpenOrm } from "../orm-client.ts";

const Done = new EntitySchema<{ key: string }>({
  name: "Done",
  tableName: "done",
  properties: { key: { type: "text", primary: true } },
});

export const openMikroOrm: OpenOrm = async (url, { connectionsMax, acquireTimeoutMs = 0 }) => {
  const orm = await MikroORM.init({
    clientUrl: url,
    entities: [Done],
    pool: { min: 0, max: connectionsMax },
    driverOptions: { connectionTimeoutMillis: acquireTimeoutMs },
  });
  return {
    stateProvider: createMikroOrmStateProvider(orm, { connectionsMax }),
    transaction: (callback) => orm.em.fork().transactional((em) => callback({ em })),
    insert: (context, key) => (context as { em: EntityManager }).em.insert(Done, { key }),
    close: () => orm.close(),
  };
};
