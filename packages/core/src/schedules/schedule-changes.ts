/** Notifies the workers of this process of changed schedules. Other processes find them with their next poll. */
export interface ScheduleChanges {
  notify(): void;
  /** Returns how to stop listening. */
  listen(onChanged: () => void): () => void;
}

export const createScheduleChanges = (): ScheduleChanges => {
  const listeners = new Set<() => void>();
  return {
    notify: () => {
      for (const onChanged of listeners) onChanged();
    },
    listen: (onChanged) => {
      listeners.add(onChanged);
      return () => listeners.delete(onChanged);
    },
  };
};
