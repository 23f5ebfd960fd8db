// Schedules and the ticks that they had. The definition of a schedule is JSON of core: the store decides by the other columns.
export const schedules = {
  name: "schedules",
  sql: `
CREATE TABLE {prefix}schedule (
  name TEXT NOT NULL PRIMARY KEY,
  look_at INTEGER,
  is_declared INTEGER NOT NULL,
  definition TEXT NOT NULL
) STRICT;
CREATE INDEX {prefix}schedule_look ON {prefix}schedule (look_at) WHERE look_at IS NOT NULL;
CREATE INDEX {prefix}schedule_declared ON {prefix}schedule (name) WHERE is_declared = 1;
CREATE TABLE {prefix}schedule_tick (
  schedule_name TEXT NOT NULL,
  tick_at INTEGER NOT NULL,
  is_manual INTEGER NOT NULL,
  kind TEXT NOT NULL,
  outcome TEXT NOT NULL,
  sequence_id {id},
  fired_at INTEGER NOT NULL,
  PRIMARY KEY (schedule_name, tick_at, is_manual)
) WITHOUT ROWID{,strict};
CREATE INDEX {prefix}schedule_tick_fired ON {prefix}schedule_tick (fired_at);
`,
};
