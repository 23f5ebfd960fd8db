import type { OpenOrm } from "../orm-client.ts";
import { openBunSql } from "./bun.ts";
import { openDrizzle } from "./drizzle.ts";
import { openKnex } from "./knex.ts";
import { openKysely } from "./kysely.ts";
import { openMikroOrm } from "./mikro-orm.ts";
import { openPrisma } from "./prisma.ts";
import { openTypeOrm } from "./typeorm.ts";

/** Every ORM that has an export of its own. */
export const orms: readonly (readonly [name: string, open: OpenOrm])[] = [
  ["Drizzle", openDrizzle],
  ["Knex", openKnex],
  ["Kysely", openKysely],
  ["MikroORM", openMikroOrm],
  ["Prisma", openPrisma],
  ["TypeORM", openTypeOrm],
  ...(openBunSql === undefined ? [] : [["Bun.SQL", openBunSql] as const]),
];
