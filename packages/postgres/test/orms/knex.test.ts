import { openKnex } from "./clients/knex.ts";
import { describeOrm } from "./describe-orm.ts";

describeOrm("Knex", openKnex);
