import { openDrizzle, openDrizzlePostgresJs } from "./clients/drizzle.ts";
import { describeOrm } from "./describe-orm.ts";

describeOrm("Drizzle over pg", openDrizzle);
describeOrm("Drizzle over postgres.js", openDrizzlePostgresJs);
