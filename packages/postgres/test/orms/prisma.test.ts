import { openPrisma } from "./clients/prisma.ts";
import { describeOrm } from "./describe-orm.ts";

describeOrm("Prisma", openPrisma);
