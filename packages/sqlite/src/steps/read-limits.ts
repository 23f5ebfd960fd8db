// The limits of job types. Usually there is none: one probe of an empty table.
import type { LimitDeclaration, StateLimit } from "queuert/internal";
import type { TableNames } from "../names.ts";
import type { Session } from "../session.ts";

/** A limit as it is stored. */
export interface StoredLimit extends StateLimit {
  readonly declaration: LimitDeclaration | null;
  readonly backAtUs: number | null;
  readonly updatedAt: number;
}

type LimitRow = readonly [
  name: string,
  bounds: string,
  declaredHash: string | null,
  revision: number | null,
  backAtUs: number | null,
  updatedAt: number,
];

const columns = "name, bounds, declared_hash, revision, back_at_us, updated_at";

const toStoredLimit = (row: LimitRow): StoredLimit => {
  const [name, bounds, hash, revision, backAtUs, updatedAt] = row;
  const declaration = hash === null ? null : { hash, revision: revision ?? 0 };
  const stored = JSON.parse(bounds) as Omit<StateLimit, "name">;
  return { name, ...stored, declaration, backAtUs, updatedAt };
};

/** All limits by name, one, or those that concern an acquisition. */
export const createReadLimits = ({
  jobLimit,
}: TableNames): ((
  session: Session,
  which: "all" | "effective" | { readonly name: string },
) => readonly StoredLimit[]) => {
  const all = `SELECT ${columns} FROM ${jobLimit} ORDER BY name`;
  const one = `SELECT ${columns} FROM ${jobLimit} WHERE name = ?`;
  // The condition on the name lets the statement read the table by its key.
  const effective = `SELECT ${columns} FROM ${jobLimit} WHERE name >= '' AND (is_bounded = 1 OR orders_jobs = 1)`;
  return (session, which) => {
    const rows =
      typeof which === "object"
        ? session.all<LimitRow>(one, which.name)
        : session.all<LimitRow>(which === "all" ? all : effective);
    return rows.map(toStoredLimit);
  };
};

/** How many jobs of a type, or under keys of a limit, hold an unexpired lease. */
export const createCountPermits = ({
  job,
}: TableNames): ((session: Session, name: string, now: number) => number) => {
  const count = `
SELECT count(*) FROM ${job} WHERE status = 'running' AND type_name = ? AND leased_until > ?`;
  const underKeys = `
SELECT count(*) FROM ${job}
WHERE status = 'running' AND limit_key IS NOT NULL AND limit_name = ? AND type_name <> ? AND leased_until > ?`;
  return (session, name, now) =>
    (session.get<[number]>(count, name, now)?.[0] ?? 0) +
    (session.get<[number]>(underKeys, name, name, now)?.[0] ?? 0);
};
