import { openTypeOrm } from "./clients/typeorm.ts";
import { describeOrm } from "./describe-orm.ts";

describeOrm("TypeORM", openTypeOrm);
