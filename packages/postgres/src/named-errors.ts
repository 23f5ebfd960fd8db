// Errors of the server that concern the installation get a name and a remedy.
import { mapMethods, QueuertError } from "queuert/internal";
import {
  PgInvalidJobIdError,
  PgInvalidOptionError,
  PgPermissionError,
  PgPoolExhaustedError,
  PgReadOnlyError,
  PgRowSecurityError,
  PgSchemaOutdatedError,
  PgUnreachableError,
} from "./errors.ts";
import { hiddenServerError, innerErrorOf } from "./inner-error.ts";
import type { StoreNames } from "./store-names.ts";

/** The typed error for an error of the driver, or the same error. An error is named once only. */
export const toNamedError = (error: unknown, names: StoreNames): unknown => {
  if (!(error instanceof Error) || error instanceof QueuertError) return error;
  const code = codeOf(error);
  switch (code) {
    case "42P01": // undefined_table
    case "42883": // undefined_function
    case "42703": // undefined_column
    case "3F000": // invalid_schema_name
      return new PgSchemaOutdatedError(names.schemaName, serverMessageOf(error), { cause: error });
    case "42704": // undefined_object
      // Statements name types of the store and the type of ids.
      if (saysOfStore(error, names)) {
        return new PgSchemaOutdatedError(names.schemaName, serverMessageOf(error), {
          cause: error,
        });
      }
      return new PgInvalidOptionError("idType", "the name of an SQL type that the database has", {
        cause: error,
      });
    case "42501": // insufficient_privilege
      return isOfRowSecurity(error)
        ? new PgRowSecurityError(names.schemaName, { cause: error })
        : new PgPermissionError(names.schemaName, { cause: error });
    case "25006": // read_only_sql_transaction
      return new PgReadOnlyError({ cause: error });
    case "22P02": // invalid_text_representation
    case "22003": // numeric_value_out_of_range
      return new PgInvalidJobIdError(names.idTypeName, { cause: error });
    case "ECONNREFUSED":
    case "ENOTFOUND":
    case "EHOSTUNREACH":
    case "ENETUNREACH":
    case "ETIMEDOUT":
    case "EAI_AGAIN":
    case "CONNECT_TIMEOUT":
    case "3D000": // invalid_catalog_name
    case "28000": // invalid_authorization_specification
    case "28P01": // invalid_password
      return new PgUnreachableError(code, serverMessageOf(error), { cause: error });
    default:
      return byMessage(error);
  }
};

// The message depends on the language of the server; the place in its source does not.
const rowSecurityRoutines = new Set(["check_enable_rls", "ExecWithCheckOptions"]);

const isOfRowSecurity = (error: Error): boolean => {
  const { routine } = error as { readonly routine?: unknown };
  if (typeof routine === "string") return rowSecurityRoutines.has(routine);
  const inner = innerErrorOf(error);
  return inner !== undefined && isOfRowSecurity(inner);
};

// Of `pg`, and of Knex.
const poolTimeouts = ["timeout exceeded when trying to connect", "Timeout acquiring a connection"];

/** `pg` and ORMs give some of their errors no code. */
const byMessage = (error: Error): Error => {
  const messages = messagesOf(error);
  if (poolTimeouts.some((message) => messages.includes(message))) {
    return new PgPoolExhaustedError({ cause: error });
  }
  if (messages.includes("Connection terminated due to connection timeout")) {
    return new PgUnreachableError("connection timeout", null, { cause: error });
  }
  return error;
};

/** Whether the server names an object in the schema of the store. */
export const saysOfStore = (error: Error, { schemaName }: StoreNames): boolean =>
  messagesOf(error).includes(`${schemaName}.`);

/** The server's own message, which names a table, column, database or role. Null if the error is of another origin. */
const serverMessageOf = (error: Error): string | null => {
  const { code, message } =
    hiddenServerError(error) ?? (error as { code?: unknown; message: string });
  if (typeof code === "string" && /^[0-9A-Z]{5}$/.test(code))
    return message?.split("\n")[0] ?? null;
  const inner = innerErrorOf(error);
  return inner === undefined ? null : serverMessageOf(inner);
};

/** ORMs wrap the driver's error. */
export const messagesOf = (error: Error): string => {
  const inner = innerErrorOf(error);
  return inner === undefined ? error.message : `${error.message}\n${messagesOf(inner)}`;
};

/** The SQLSTATE, or the code of the connection's error. */
export const codeOf = (error: Error): string | undefined => {
  const hidden = hiddenServerError(error);
  if (hidden !== undefined) return hidden.code;
  const own = (error as { code?: unknown }).code;
  if (typeof own === "string") return own;
  const inner = innerErrorOf(error);
  return inner === undefined ? undefined : codeOf(inner);
};

/** The methods of an object, with named errors. */
export const withNamedErrors = <TMethods extends object>(
  methods: TMethods,
  names: StoreNames,
): TMethods =>
  mapMethods(methods, (method) => async (...args) => {
    try {
      return await method(...args);
    } catch (error) {
      throw toNamedError(error, names);
    }
  });
