// Which texts can be an id, by the SQL type of ids. Other texts are not sent, because the server's error would break the
// caller's transaction; no job has such an id.
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

// A cast to one of these cuts long texts off without an error; a cast to the second kind also pads short ones.
const sizedPattern = /^(varchar|char|character|bpchar) ?\((\d+)\)$/;

/** Whether a text can be an id of this type. */
export const possibleIds = (idType: string): ((id: string) => boolean) => {
  const type = idType.toLowerCase();
  if (type === "uuid") return (id) => uuidPattern.test(id);
  const bits = integerBits[type];
  const isText = (id: string): boolean => typeof id === "string" && !id.includes("\0");
  const [, kind, size] = sizedPattern.exec(type) ?? [];
  if (size !== undefined) {
    const isPadded = !kind?.includes("var");
    const fits = (length: number): boolean =>
      isPadded ? length === Number(size) : length <= Number(size);
    return (id) => isText(id) && fits([...id].length);
  }
  if (bits === undefined) return isText;
  return (id) => integerPattern.test(id) && BigInt.asIntN(bits, BigInt(id)) === BigInt(id);
};

const madeHere = "01890a5d-ac96-774b-bcce-b302099a8057";

/**
 * Ids that the library makes are UUIDs as text: whole numbers and shorter texts have to come from the server.
 * @throws QUEUERT_PG_INVALID_OPTION
 */
export const assertIdDefault = (idType: string, idDefault: string | null): void => {
  const isExpression = typeof idDefault === "string" && idDefault.trim() !== "";
  if (idDefault === null ? possibleIds(idType)(madeHere) : isExpression) return;
  const isNumber = integerBits[idType.toLowerCase()] !== undefined;
  const example = isNumber ? "nextval('public.job_id')" : "gen_random_uuid()";
  const exampleText = isNumber || idType.toLowerCase() === "uuid" ? `, such as "${example}"` : "";
  throw new PgInvalidOptionError(
    "idDefault",
    `an SQL expression that makes a ${idType}${exampleText}`,
  );
};
