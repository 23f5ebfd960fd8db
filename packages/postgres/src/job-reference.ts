import type { StateJobReference } from "queuert/internal";
import { toNullableText, toText } from "./job-row.ts";
import type { PgRow } from "./state-provider.ts";

export const toStateJobReference = (row: PgRow): StateJobReference => ({
  id: String(row["id"]),
  typeName: toText(row["type_name"]),
  sequenceId: String(row["sequence_id"] ?? row["id"]),
  sequenceTypeName: toText(row["sequence_type_name"] ?? row["type_name"]),
  rootSequenceId: String(row["root_sequence_id"] ?? row["id"]),
  originId: toNullableText(row["origin_id"]),
});
