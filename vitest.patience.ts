// A test waits for an event and not for a time. Vitest's default of one second is no event: a busy machine needs longer.
import { vi } from "vitest";

/** Less than a test has, so that a report names the event that did not come. */
const patienceMs = 50_000;

const { waitFor } = vi;
vi.waitFor = (check, options = {}) =>
  waitFor(check, typeof options === "number" ? options : { timeout: patienceMs, ...options });
