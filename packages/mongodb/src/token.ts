import { randomBytes } from "node:crypto";

/** Marks what one batch writes: no other has the same. */
export const createToken = (): string => randomBytes(9).toString("base64url");
