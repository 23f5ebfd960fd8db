import { describe, expect, it } from "vitest";
import {
  compress,
  createInProcessStateAdapter,
  createQueuert,
  defineUnionJobTypes,
  encrypt,
  offload,
  type PayloadTransform,
} from "../../src/index.ts";
import { applyTransforms, undoTransforms } from "../../src/payloads/transform.ts";

const key = new Uint8Array(32).fill(5);
const keys = { current: "k", byId: { k: key } };
const about = { typeName: "task", part: "input" } as const;
const wide = `"${"wide ".repeat(1_000)}"`;

describe("a transformed text", () => {
  it("names its transforms, and comes back", async () => {
    const transforms = [compress(), encrypt({ keys })];
    const stored = await applyTransforms(transforms, wide, about);
    expect(stored).toMatch(/^q1:gz\+enc\.k:[\w+/]+=*$/);
    expect(stored.length).toBeLessThan(wide.length / 10);
    expect(await undoTransforms(transforms, stored)).toBe(wide);
    // Each time another one.
    expect(await applyTransforms(transforms, wide, about)).not.toBe(stored);
  });

  it("stays as it is if no transform takes it", async () => {
    const transforms = [compress(), encrypt({ keys, only: ["other"] })];
    expect(await applyTransforms(transforms, '"q1:gz:"', about)).toBe('"q1:gz:"');
    expect(await undoTransforms(transforms, '"q1:gz:"')).toBe('"q1:gz:"');
    // Random bytes do not become shorter.
    const noise = Buffer.from(
      Array.from({ length: 2_000 }, (_, at) => (at * at * 31) % 127),
    ).toString();
    const [gz] = transforms as [PayloadTransform];
    const short = await applyTransforms([{ ...gz, apply: async () => null }], noise, about);
    expect(short).toBe(noise);
  });

  it.each([
    [
      "a bit of the text",
      (stored: string) => stored.replace(/.(?=.{6}$)/, (c) => (c === "A" ? "B" : "A")),
    ],
    ["its end", (stored: string) => stored.slice(0, -12)],
    ["nearly all", (stored: string) => stored.slice(0, 12)],
  ])("is not accepted when %s is lost", async (_name, damage) => {
    const transforms = [encrypt({ keys })];
    const stored = damage(await applyTransforms(transforms, wide, about));
    await expect(undoTransforms(transforms, stored)).rejects.toMatchObject({
      code: "QUEUERT_UNREADABLE_PAYLOAD",
      message: expect.not.stringContaining("wide"),
    });
  });

  it("names a missing key, a missing transform and broken tags", async () => {
    const stored = await applyTransforms([encrypt({ keys })], wide, about);
    const others = { current: "l", byId: { l: key } };
    await expect(undoTransforms([encrypt({ keys: others })], stored)).rejects.toMatchObject({
      code: "QUEUERT_UNKNOWN_PAYLOAD_KEY",
      keyId: "k",
    });
    await expect(undoTransforms([compress()], stored)).rejects.toThrow(
      'no transform "enc" is given',
    );
    await expect(undoTransforms([compress()], "q1:gz")).rejects.toThrow("its tags have no end");
    // A text that would fill the memory.
    const bomb = await applyTransforms([compress()], "0".repeat(17 * 1024 * 1024), about);
    await expect(undoTransforms([compress()], bomb)).rejects.toThrow('"gz" fails');
  });
});

describe("at the door", () => {
  it("a key of another length is named with its length", () => {
    const short = () => encrypt({ keys: { current: "k", byId: { k: key.subarray(1) } } });
    expect(short).toThrow('`encrypt.keys.byId["k"].byteLength` is 31: give 32 random bytes');
  });

  const store = { write: async () => undefined, read: async () => undefined };

  it.each([
    ["a short key", () => encrypt({ keys: { current: "k", byId: { k: key.subarray(1) } } })],
    [
      "a current key that is not there",
      () => encrypt({ keys: { current: "x", byId: { k: key } } }),
    ],
    ["a key id with a colon", () => encrypt({ keys: { current: "a:b", byId: { "a:b": key } } })],
    ["an unknown option", () => encrypt({ keys, onyl: [] } as never)],
    ["types that are no array", () => encrypt({ keys, only: "task" as never })],
    ["a negative size", () => compress({ aboveBytes: -1 })],
    ["a store without `read`", () => offload({ store: { write: store.write } as never })],
  ])("%s is refused", (_name, make) => {
    expect(make).toThrowError(expect.objectContaining({ code: "QUEUERT_INVALID_OPTION" }));
  });

  it.each([
    ["no array", compress()],
    ["one transform twice", [compress(), compress()]],
    ["a name with a digit", [{ ...compress(), name: "gz1" }]],
    ["no `undo`", [{ name: "x", apply: () => null }]],
  ])("transforms are refused: %s", async (_name, transforms) => {
    const creating = createQueuert({
      stateAdapter: createInProcessStateAdapter(),
      jobTypeDefinitions: defineUnionJobTypes<{ task: { input: null; output: null } }>(),
      payloads: { transforms: transforms as never },
    });
    await expect(creating).rejects.toMatchObject({ code: "QUEUERT_INVALID_OPTION" });
  });

  it("a key never reaches an error", () => {
    const short = Buffer.from("my-secret-key").toString("base64");
    const make = () => encrypt({ keys: { current: "k", byId: { k: short } } });
    expect(make).toThrow(expect.objectContaining({ message: expect.not.stringContaining(short) }));
  });
});
