// Cursors come from addresses and scripts: whatever arrives is a cursor of this list, or an error that names the position.
import { describe, expect, it } from "vitest";
import { InvalidCursorError } from "../../src/errors.ts";
import { seededRandom } from "../../src/testing/random.ts";
import { anOperator } from "./a-client.ts";

const changes = 2_000;

const aList = async () => {
  const operated = await anOperator();
  const { operator, steps, queuert } = operated;
  const blocker = await steps.createOne({ typeName: "blocker" });
  const waiting = [];
  for (const _ of Array.from({ length: 5 })) waiting.push(await steps.createBlocked([blocker]));
  const sequenceId = blocker.id;
  type Page = Promise<{ readonly nextCursor: string | null }>;
  const client = queuert as Record<"listJobs" | "listJobSequences", (given: object) => Page>;
  const given = { limit: 1 };
  const lists: Readonly<Record<string, (cursor?: string | null) => Page>> = {
    jobs: (cursor) => operator.listJobs({ ...given, cursor }),
    "jobs, ascending": (cursor) => operator.listJobs({ ...given, cursor, order: "asc" }),
    sequences: (cursor) => operator.listSequences({ ...given, cursor }),
    "sequences, ascending": (cursor) => operator.listSequences({ ...given, cursor, order: "asc" }),
    dependants: (cursor) => operator.listDependants({ ...given, sequenceId, cursor }),
    "jobs of the client": (cursor) => client.listJobs({ ...given, cursor }),
    "sequences of the client": (cursor) => client.listJobSequences({ ...given, cursor }),
  };
  return { ...operated, lists, waiting, sequenceId };
};

const cursorOf = async (list: (cursor?: string | null) => Promise<{ nextCursor: string | null }>) =>
  (await list()).nextCursor ?? "";

/** The error of a refused cursor. */
const refusal = async (reading: Promise<unknown>): Promise<InvalidCursorError> => {
  const error: unknown = await reading.then(
    () => new Error("The cursor was accepted"),
    (reason: unknown) => reason,
  );
  if (error instanceof InvalidCursorError) return error;
  throw error;
};

describe("a cursor", () => {
  it("of another list, or of the other order, is refused", async () => {
    const { lists } = await aList();
    for (const [name, list] of Object.entries(lists)) {
      const cursor = await cursorOf(list);
      expect(cursor).not.toBe("");
      for (const [otherName, other] of Object.entries(lists)) {
        if (otherName === name) continue;
        const error = await refusal(other(cursor));
        const isOrder = name.split(",")[0] === otherName.split(",")[0];
        expect([name, otherName, error.reason]).toEqual([
          ...[name, otherName, isOrder ? "other_order" : "other_list"],
        ]);
        expect(error.message).toContain("start again without one");
      }
    }
  });

  it("that was changed in any place is refused, with the position", async () => {
    const { lists } = await aList();
    const random = seededRandom(7);
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=+/ \n\0é🙂";
    for (const list of Object.values(lists)) {
      const cursor = await cursorOf(list);
      for (let change = 0; change < changes / Object.keys(lists).length; change++) {
        const at = Math.floor(random() * cursor.length);
        const character = [...alphabet][Math.floor(random() * [...alphabet].length)] ?? "";
        const rest = cursor.slice(at + Math.floor(random() * 3));
        const changed = cursor.slice(0, at) + (random() < 0.8 ? character : "") + rest;
        if (changed === cursor) continue;
        const { position, reason, message } = await refusal(list(changed));
        expect(["changed", "unreadable"]).toContain(reason);
        expect(position).toBeGreaterThanOrEqual(0);
        expect(position).toBeLessThanOrEqual(Math.max(changed.length, cursor.length));
        expect(message).toContain(`position ${position}`);
      }
      // Each bit, one by one.
      for (let bit = 0; bit < cursor.length * 7; bit++) {
        const at = Math.floor(bit / 7);
        const code = cursor.charCodeAt(at) ^ (1 << (bit % 7));
        await refusal(list(cursor.slice(0, at) + String.fromCharCode(code) + cursor.slice(at + 1)));
      }
    }
  });

  it("that was made by hand is refused", async () => {
    const { lists } = await aList();
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const forged: readonly unknown[] = [
      ...[
        "",
        " ",
        "0",
        "null",
        "%00",
        "a".repeat(100_000),
        encode([1, "examinedSequences", "desc", 5]),
      ],
      ...[encode(null), encode({}), encode([]), encode(["__proto__"]), 5, true, {}, []],
    ];
    for (const list of Object.values(lists)) {
      for (const cursor of forged) await refusal(list(cursor as string));
    }
  });

  it("does not expire: it goes on when its own job is gone", async () => {
    const { lists, operator, state, waiting, sequenceId } = await aList();
    const cursors = Object.entries(lists).filter(([name]) => name !== "dependants");
    const before = await Promise.all(
      cursors.map(async ([, list]) => [list, await cursorOf(list)] as const),
    );
    const { nextCursor } = await operator.listDependants({ sequenceId, limit: 2 });
    const ids = [...waiting.map(({ id }) => id)].sort();
    await state.runInTransaction(async (context) => {
      await state.deleteSequences({
        context,
        rootSequenceIds: [ids[1] ?? "", waiting.at(-1)?.id ?? ""],
      });
    });
    for (const [list, cursor] of before) expect(await list(cursor)).toMatchObject({});
    const rest = await operator.listDependants({ sequenceId, limit: 10, cursor: nextCursor });
    const deleted = [ids[1], waiting.at(-1)?.id];
    expect(rest.items.map(({ id }) => id)).toEqual(
      ids.slice(2).filter((id) => !deleted.includes(id)),
    );
  });
});
