// Schedules and the ticks that they had.
export const schedules = {
  version: 2,
  name: "schedules",
  collections: {
    schedules: [
      {
        // nextScheduleInMs, takeDueSchedules: schedules that are looked at, earliest first.
        name: "look",
        key: { lookAt: 1 },
        partialFilterExpression: { lookAt: { $exists: true } },
      },
      {
        // listSchedules: those declared in code, among many made at run time.
        name: "declared",
        key: { _id: 1, isDeclared: 1 },
        partialFilterExpression: { isDeclared: true },
      },
    ],
    schedule_ticks: [
      {
        // listScheduleTicks, deleteSchedules: the history of a schedule.
        name: "history",
        key: { scheduleName: 1, tickAt: 1, isManual: 1 },
      },
      {
        // deleteScheduleTicks: oldest first.
        name: "fired",
        key: { firedAt: 1 },
      },
    ],
  },
} as const;
