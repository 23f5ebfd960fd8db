// One order of locks: deduplication keys by (type, key), then jobs by id, then edges by (job, index). What a routine has
// to lock depends on rows that others may change until it holds them, so it looks, locks, and looks again. If there is more
// by then, it must not lock that as well: with later rows in hand it would wait for earlier ones. It lets everything go,
// which only a subtransaction can, and begins anew.
import type { StoreNames } from "../../store-names.ts";

const grown = "QU001";

/** `look` is run without locks; `body` locks, and says with `beginAgainIf` that it has not locked enough. */
export const untilAllIsLocked = (look: string, body: string): string => `
  LOOP${look}
    BEGIN${body}
      EXIT;
    EXCEPTION WHEN SQLSTATE '${grown}' THEN
      -- Its locks and writes are gone.
      NULL;
    END;
  END LOOP;`;

export const beginAgainIf = (condition: string): string => `
      IF ${condition} THEN
        RAISE EXCEPTION 'queuert: there is more to lock' USING ERRCODE = '${grown}';
      END IF;`;

/** `rows`: a query of ids. Whatever it finds beyond `v_lock_ids` is not locked. */
export const beginAgainIfMore = (rows: string): string =>
  beginAgainIf(`EXISTS (
        SELECT more.id FROM (${rows}) more (id) EXCEPT SELECT l.id FROM unnest(v_lock_ids) AS l (id))`);

export const lockJobs = (
  { schema }: StoreNames,
  strength: "NO KEY UPDATE" | "UPDATE" = "NO KEY UPDATE",
): string => `
      PERFORM 1 FROM (
        SELECT j.id FROM ${schema}.job j WHERE j.id = ANY(v_lock_ids) ORDER BY j.id FOR ${strength}
      ) locked;`;

// Estimates are made of old statistics, and of how many wait for a sequence on average: from them the planner would conclude to
// read all jobs of a status, or the whole table, instead of going from edge to edge. OFFSET 0 is a fence to it.
export const jobById = ({ schema }: StoreNames, id: string): string =>
  `LATERAL (SELECT * FROM ${schema}.job WHERE id = ${id} OFFSET 0)`;

export const edgesTo = ({ schema }: StoreNames, sequence: string): string =>
  `LATERAL (SELECT * FROM ${schema}.job_blocker WHERE blocker_sequence_id = ${sequence} OFFSET 0)`;

export const edgesOf = ({ schema }: StoreNames, job: string): string =>
  `LATERAL (SELECT * FROM ${schema}.job_blocker WHERE job_id = ${job} OFFSET 0)`;

/** Who waits for these sequences. */
export const dependantsOf = ({ schema }: StoreNames, sequences: string): string => `
        SELECT b.job_id FROM ${schema}.job_blocker b WHERE b.blocker_sequence_id = ANY(${sequences})`;

/** The jobs, the first jobs of their sequences, and all that would fail with them, in turn. */
export const failingWith = (names: StoreNames, jobs: string): string => `
        WITH RECURSIVE tree AS (
          SELECT j.id, j.sequence_id FROM ${names.schema}.job j WHERE j.id = ANY(${jobs})
          UNION
          SELECT j.id, j.sequence_id
          FROM tree t
          CROSS JOIN ${edgesTo(names, "t.sequence_id")} b
          CROSS JOIN ${jobById(names, "b.job_id")} j
          WHERE j.status = 'blocked' AND j.on_blocker_failure = 'fail'
        )
        SELECT u.id FROM tree t CROSS JOIN LATERAL (VALUES (t.id), (t.sequence_id)) AS u (id)`;
