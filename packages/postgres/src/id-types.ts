// What can be an id, by the SQL type of ids: what cannot is no job's, and is not sent, since the server's refusal would
// break the caller's transaction.
import { PgInvalidOptionError } from "./errors.ts";

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const integerPattern = /^(0|-?[1-9]\d{0,18})$/;

const integerBits: Readonly<Record<string, number>> = {
  smallint: 16,
  int2: 16,
  integer: 32,
  int: 32,
  int4: 32,
  bigint: 64,
  int8: 64,
};

/** Whether a text can be an id of this type. */
export const possibleIds = (idType: string): ((id: string) => boolean) => {
  const type = idType.toLowerCase();
  if (type === "uuid") return (id) => uuidPattern.test(id);
  const bits = integerBits[type];
  if (bits === undefined) return (id) => typeof id === "string" && !id.includes("\0");
  return (id) => integerPattern.test(id) && BigInt.asIntN(bits, BigInt(id)) === BigInt(id);
};

/**
 * Ids that the library makes are UUIDs as text: whole numbers have to come from the server.
 * @throws QUEUERT_PG_INVALID_OPTION
 */
export const assertIdDefault = (idType: string, idDefault: string | null): void => {
  if (idDefault !== null || integerBits[idType.toLowerCase()] === undefined) return;
  throw new PgInvalidOptionError(
    "idDefault",
    `an SQL expression that makes a ${idType}, such as "nextval('public.job_id')"`,
  );
};
