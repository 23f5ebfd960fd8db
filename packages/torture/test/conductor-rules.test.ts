// The two rules of the conductor, each with a planted violation, and the facts that they are judged by.
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AnyStateAdapter, createInProcessStateAdapter, createQueuert } from "queuert";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ChildConfig } from "../src/child/protocol.ts";
import { Child } from "../src/conductor/child.ts";
import { judge } from "../src/conductor/judge.ts";
import { untilQuiet } from "../src/conductor/until-quiet.ts";
import { jobTypes } from "../src/load/job-types.ts";
import { loadStore } from "../src/stores/index.ts";
import type { OpenStore } from "../src/stores/store.ts";
import { aHistory, aPlan } from "./checker/histories.ts";

const sound = { history: aHistory(), troubles: [], quietAfterMs: 0 };
const noExcuse = { isRewound: false, isStepped: false };

describe("the rules of the conductor", () => {
  it.each([
    ["no process crashes, and each stops", { troubles: ["worker1 did not close"] }],
    ["all is quiet in time", { quietAfterMs: Number.POSITIVE_INFINITY }],
  ])("find that not %s", (rule, wrong) => {
    expect(judge({ ...sound, ...wrong }, noExcuse).map((one) => one.rule)).toEqual([rule]);
    // No fault excuses them.
    const excused = judge({ ...sound, ...wrong }, { isRewound: true, isStepped: true });
    expect(excused).toHaveLength(1);
  });

  it("find nothing in a sound run", () => {
    expect(judge(sound, noExcuse)).toEqual([]);
  });
});

describe("a process of a run", () => {
  let folder: string;
  let child: Child;

  const inFolder = (path: string): string => join(folder, path);
  const isReady = (): Promise<void> => vi.waitFor(() => expect(child.isReady).toBe(true));
  const prepare = async (storeUrl: string): Promise<void> =>
    (await loadStore("sqlite")).prepare(storeUrl);

  const start = (storeUrl: string): void => {
    const config: ChildConfig = {
      ...{ name: "worker0", role: "worker", seed: 1, store: "sqlite", storeUrl, pauseMs: 100 },
      ...{ notify: "none", notifyUrl: "", logPath: inFolder("log"), epochOffsetMs: 0 },
      ...{ concurrency: 2, connectionsMax: 2, retentionMs: 10_000, nextVersion: null },
    };
    // A twentieth of the usual patience.
    child = new Child(config, 0.05);
  };
  const startReady = async (): Promise<void> => {
    await prepare(inFolder("store.sqlite"));
    start(inFolder("store.sqlite"));
    await isReady();
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "queuert-torture-child-"));
  });
  afterEach(async () => {
    await child.kill();
    rmSync(folder, { recursive: true });
  });

  const signal = (name: "SIGKILL" | "SIGSTOP"): void => {
    process.kill(child.pid as number, name);
  };

  it("tries again until its store is there", async () => {
    start(inFolder("later/store.sqlite"));
    await vi.waitFor(() =>
      expect(readFileSync(inFolder("log"), "utf8")).toContain("open the store"),
    );
    mkdirSync(inFolder("later"));
    await prepare(inFolder("later/store.sqlite"));
    await isReady();
  });

  it("has crashed if it ends unasked", async () => {
    await startReady();
    signal("SIGKILL");
    await vi.waitFor(() => expect(child.isAlive).toBe(false));
    expect(await child.close()).toContain("ended with SIGKILL");
  });

  it("has not stopped if it does not answer", async () => {
    await startReady();
    signal("SIGSTOP");
    expect(await child.close()).toBe("did not close");
  });
});

it("a run with a job that never ends is never quiet", async () => {
  const stateAdapter = createInProcessStateAdapter();
  const queuert = await createQueuert({ stateAdapter, jobTypeDefinitions: jobTypes });
  await queuert.startJobSequence({
    ...{ autocommit: true, typeName: "step", input: { plan: aPlan("a") } },
  });
  // Nothing but the state is used.
  const store = { state: stateAdapter as unknown as AnyStateAdapter } as OpenStore;
  const notes: unknown[] = [];
  const note = (entry: unknown): void => void notes.push(entry);
  expect(await untilQuiet(store, note, () => performance.now(), 0.01)).toBe(Infinity);
  await queuert.close();
});
