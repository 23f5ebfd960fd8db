import { createPgStateAdapter } from "@queuert/postgres";
import { createPgPoolStateProvider } from "@queuert/postgres/pg";
import {
  createQueuert,
  type DefineBlocker,
  type DefineContinuationInput,
  type DefineContinuationOutput,
  defineUnionJobTypes,
} from "queuert";
import type { Bench } from "./measure.ts";

interface Payload {
  readonly n: number;
}

const jobTypeDefinitions = defineUnionJobTypes<{
  single: { input: Payload; output: null };
  "step-1": { input: Payload; output: DefineContinuationOutput<"step-2"> };
  "step-2": { input: DefineContinuationInput<Payload>; output: DefineContinuationOutput<"step-3"> };
  "step-3": { input: DefineContinuationInput<Payload>; output: DefineContinuationOutput<"step-4"> };
  "step-4": { input: DefineContinuationInput<Payload>; output: DefineContinuationOutput<"step-5"> };
  "step-5": { input: DefineContinuationInput<Payload>; output: null };
  part: { input: Payload; output: null };
  whole: { input: Payload; output: null; blockers: DefineBlocker<"part">[] };
}>();

interface OpenOptions {
  readonly workerRegistry?: boolean;
  /** Called for each statement of the adapter. */
  readonly onStatement?: () => void;
}

/** Opens everything that a user would have, on a new schema. */
export const openClient = async (
  { pool }: Pick<Bench, "pool">,
  { onStatement, ...options }: OpenOptions = {},
) => {
  const provider = createPgPoolStateProvider(pool, { preparedStatements: true });
  const stateProvider: typeof provider =
    onStatement === undefined
      ? provider
      : {
          ...provider,
          executeSql: (statement, context) => {
            onStatement();
            return provider.executeSql(statement, context);
          },
        };
  const stateAdapter = await createPgStateAdapter({ stateProvider });
  await stateAdapter.migrateToLatest();
  await pool.query("CREATE TABLE user_row (job_id uuid PRIMARY KEY, note text)");
  const queuert = await createQueuert({
    ...{ stateAdapter, jobTypeDefinitions, log: () => undefined, ...options },
  });
  return { queuert, stateAdapter };
};

export type BenchClient = Awaited<ReturnType<typeof openClient>>;
