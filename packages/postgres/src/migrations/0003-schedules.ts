// Schedules and the ticks that they had. The definition of a schedule is JSON of core: the store decides by the other columns.
export const schedules = {
  name: "0003-schedules",
  sql: [
    `CREATE TABLE {schema}.schedule (
  look_at timestamptz,
  is_declared boolean NOT NULL,
  name text COLLATE "C" PRIMARY KEY,
  -- JSON as text, as the inputs of jobs are.
  definition text NOT NULL
) WITH (fillfactor = 70)`,
    // nextScheduleInMs, takeDueSchedules: one ordered probe.
    `CREATE INDEX schedule_look ON {schema}.schedule (look_at) WHERE look_at IS NOT NULL`,
    // listSchedules: those declared in code, among many made at run time.
    `CREATE INDEX schedule_declared ON {schema}.schedule (name) WHERE is_declared`,
    `CREATE TABLE {schema}.schedule_tick (
  tick_at timestamptz NOT NULL,
  fired_at timestamptz NOT NULL,
  is_manual boolean NOT NULL,
  schedule_name text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  outcome text COLLATE "C" NOT NULL,
  sequence_id {id},
  PRIMARY KEY (schedule_name, tick_at, is_manual)
)`,
    // deleteScheduleTicks: oldest first.
    `CREATE INDEX schedule_tick_fired ON {schema}.schedule_tick (fired_at)`,
  ],
} as const;
