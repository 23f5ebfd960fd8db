import type { OpenOrm } from "../orm-client.ts";
import { openDrizzle } from "./drizzle.ts";
import { openKysely } from "./kysely.ts";

/** Every ORM that has an export of its own. */
export const orms: readonly (readonly [name: string, open: OpenOrm])[] = [
  ["Drizzle", openDrizzle],
  ["Kysely", openKysely],
];
