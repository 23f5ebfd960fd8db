import { openMikroOrm } from "./clients/mikro-orm.ts";
import { describeOrm } from "./describe-orm.ts";

describeOrm("MikroORM", openMikroOrm);
