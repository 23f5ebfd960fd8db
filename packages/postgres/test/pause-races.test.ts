// Pauses that begin or end while an acquisition is under way, forced by hand. Each race runs with the routines as they are, and with a
// fault in them that the race must find.
import type pg from "pg";
import type { AnyStateAdapter, StateJob } from "queuert/internal";
import { type StateSteps, within } from "queuert/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { changedRoutine, openByHand } from "./by-hand.ts";
import { servers } from "./fixtures.ts";

/** Replaces texts of one routine. */
interface Fault {
  readonly routine: string;
  readonly changes: readonly (readonly [before: string, after: string])[];
}

const farMs = 3_600_000;

describe.each(servers)("%s", (_server, databases) => {
  let pool: pg.Pool;
  let client: pg.PoolClient;
  let adapter: AnyStateAdapter;
  let steps: StateSteps;

  beforeEach(async () => {
    ({ pool, adapter, steps } = await openByHand(databases));
    client = await pool.connect();
  });
  afterEach(async () => {
    client.release();
    await pool.end();
  });

  const pause = (typeName: string, forMs: number | null = null): Promise<void> =>
    adapter.pause({ targets: [{ typeName }], forMs, note: null });

  /** The ids of the jobs that an acquisition takes. */
  const take = async (): Promise<readonly string[]> => {
    const acquired = await steps.acquire({ limit: 5 });
    return acquired.map(({ job }) => job.id);
  };

  const settlesOrWaits = async (call: Promise<unknown>): Promise<void> => {
    let isSettled = false;
    void call.finally(() => {
      isSettled = true;
    });
    const look = async (): Promise<void> => {
      for (;;) {
        // Other files use the same server.
        const { rows } = await pool.query(
          "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
        );
        if (isSettled || rows.length > 0) return;
      }
    };
    await within(look(), "the call, or its wait");
  };

  const crm = (key: string) => ({ limitKey: { limitName: "crm", key, cost: 1 } });
  const acquireByHand = `SELECT id FROM queuert.acquire_jobs(
    'w', 5, ARRAY['task'], ARRAY[60000]::float8[], ARRAY[5], '{}', '{}', '{}', '{}', '{}', '{}', NULL, 5, NULL)
    WHERE id IS NOT NULL`;

  /** Whether an acquisition takes a job after its type was paused while it waited for the row of the limit. */
  const pauseDuringWait = async (): Promise<boolean> => {
    const bounds = { concurrency: 5, rate: null, declaration: null };
    await adapter.setLimits({ limits: [{ name: "task", ...bounds }] });
    await steps.createOne();
    await client.query("BEGIN");
    await client.query("SELECT FROM queuert.job_limit FOR NO KEY UPDATE");
    const taking = take();
    await settlesOrWaits(taking);
    await pause("task");
    await client.query("COMMIT");
    return (await taking).length > 0;
  };

  /** Whether a job is found whose limit was resumed while an acquisition had seen the pause, and used up the turn of the job. */
  const resumeDuringLook = async (): Promise<boolean> => {
    await pause("crm");
    const { id } = await steps.createOne(crm("a"));
    await client.query("BEGIN");
    expect((await client.query(acquireByHand)).rows).toEqual([]);
    const resuming = adapter.resume({ targets: [{ typeName: "crm" }] });
    await settlesOrWaits(resuming);
    await client.query("COMMIT");
    expect(await resuming).toEqual([true]);
    return (await take()).includes(id);
  };

  /** Whether a job is found that has committed while a resumption was under way, which had not seen it. */
  const commitDuringResumption = async (): Promise<boolean> => {
    await pause("crm");
    await client.query("BEGIN");
    await client.query("SELECT queuert.resume(ARRAY['crm'])");
    const { id } = await steps.createOne(crm("a"));
    expect(await take()).toEqual([]);
    await client.query("COMMIT");
    return isFoundLater(id);
  };

  /** Later than any look that is made again soon. */
  const isFoundLater = async (id: string): Promise<boolean> => {
    const { rows } = await pool.query<{ past: Date }>(
      "SELECT clock_timestamp() + interval '200 ms' AS past",
    );
    await steps.untilStoreTime(rows[0]?.past ?? new Date());
    return (await take()).includes(id);
  };

  /** Whether the jobs of a key stay paused if one of its attempts pauses it for less time than an operator has. */
  const shorterPause = async (): Promise<boolean> => {
    const running = await steps.createRunning(crm("a"));
    await steps.createOne(crm("a"));
    await pause("crm", farMs);
    await adapter.pause({ targets: [{ typeName: "crm" }], forMs: 1, note: null, extends: true });
    await isRescheduled(running);
    return (await isFoundLater(running.id)) || (await take()).length > 0;
  };

  const isRescheduled = async (job: StateJob): Promise<void> => {
    expect(await steps.reschedule(job)).toMatchObject({ kind: "rescheduled" });
  };

  const races: readonly {
    readonly title: string;
    readonly run: () => Promise<boolean>;
    readonly expected: boolean;
    readonly faults: Readonly<Record<string, Fault>>;
  }[] = [
    {
      title: "an acquisition that waits for a limit while its type is paused takes no job",
      run: pauseDuringWait,
      expected: false,
      faults: {
        "the pauses are not read again after the wait": {
          routine: "acquire_jobs",
          changes: [
            [
              "  v_has_pauses boolean;\n",
              "  v_has_pauses boolean;\n  v_had_pauses boolean := EXISTS (SELECT FROM {schema}.pause);\n",
            ],
            ["SELECT EXISTS (SELECT FROM {schema}.pause),", "SELECT v_had_pauses,"],
          ],
        },
      },
    },
    {
      title: "a job is found whose limit is resumed while an acquisition looks at it",
      run: resumeDuringLook,
      expected: true,
      faults: {
        "the resumption leaves no turns": {
          routine: "resume",
          changes: [["WHERE u.type_name <> '';", "WHERE false;"]],
        },
      },
    },
    {
      title: "a job is found that commits while the pause of its limit ends",
      run: commitDuringResumption,
      expected: true,
      faults: {
        "a pause that is being changed is taken for one that stays": {
          routine: "turns_of_paused",
          changes: [["IF NOT FOUND THEN v_until := p_now + interval '50 ms'; END IF;", ""]],
        },
        "the acquisition does not lock the pause that it has seen": {
          routine: "turns_of_paused",
          changes: [[" FOR SHARE SKIP LOCKED", ""]],
        },
      },
    },
    {
      title: "a shorter pause that only extends leaves the longer one",
      run: shorterPause,
      expected: false,
      faults: {
        "the later call wins": {
          routine: "pause",
          changes: [["WHERE NOT p_extends\n    OR ", "WHERE true OR "]],
        },
      },
    },
  ];

  for (const { title, run, expected, faults } of races) {
    it(title, async () => {
      expect(await run()).toBe(expected);
    });

    for (const [name, fault] of Object.entries(faults)) {
      it(`${title}: it fails if ${name}`, async () => {
        await pool.query(changedRoutine(fault.routine, fault.changes));
        expect(await run()).toBe(!expected);
      });
    }
  }
});
