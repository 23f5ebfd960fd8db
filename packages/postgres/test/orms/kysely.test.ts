import { openKysely } from "./clients/kysely.ts";
import { describeOrm } from "./describe-orm.ts";

describeOrm("Kysely", openKysely);
