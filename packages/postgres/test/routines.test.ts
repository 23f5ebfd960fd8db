// Workers of two versions share the routines of a schema during a deployment. The snapshot shows each change of a routine.
import { readFile, writeFile } from "node:fs/promises";
import { expect, it } from "vitest";
import packageJson from "../package.json" with { type: "json" };
import { currentSnapshot, forbiddenChanges, type RoutinesSnapshot } from "./routine-changes.ts";

const file = new URL("routines.snapshot.json", import.meta.url);
const update = "Run `UPDATE_SNAPSHOT=1 pnpm test --project postgres routines` and commit the file.";

it("a changed routine has a new version, and a changed signature a new name", async () => {
  const before = JSON.parse(await readFile(file, "utf8")) as RoutinesSnapshot;
  const after = currentSnapshot(packageJson.version);
  expect(forbiddenChanges(before, after)).toEqual([]);
  // A release alone changes nothing: the snapshot is written again with the next change.
  const differs =
    JSON.stringify({ ...before, release: "" }) !== JSON.stringify({ ...after, release: "" });
  if (differs && process.env["UPDATE_SNAPSHOT"] === "1") {
    await writeFile(file, `${JSON.stringify(after, null, 2)}\n`);
  }
  const written = JSON.parse(await readFile(file, "utf8")) as RoutinesSnapshot;
  expect({ ...written, release: "" }, update).toEqual({ ...after, release: "" });
});

const before: RoutinesSnapshot = {
  release: "0.1.0",
  routinesVersion: 1,
  migrations: ["0001"],
  routines: { get_jobs: { signature: "a", body: "b" } },
};
const raise = expect.stringContaining("Set routinesVersion in src/migrations/index.ts to 2.");
const rename = expect.stringContaining("Give it a new name, such as get_jobs_2");
const released = { ...before, release: "0.2.0" };
const newBody = { get_jobs: { signature: "a", body: "c" } };
const newSignature = { get_jobs: { signature: "c", body: "b" } };

it.each([
  ["a release without a change", released, []],
  ["a new body before the release", { ...before, routines: newBody }, []],
  ["a new signature before the release", { ...before, routines: newSignature }, []],
  ["a new body of a released routine", { ...released, routines: newBody }, [raise]],
  ["a new body with a new version", { ...released, routines: newBody, routinesVersion: 2 }, []],
  ["a version too many", { ...released, routines: newBody, routinesVersion: 3 }, [raise]],
  ["a new migration", { ...released, migrations: ["0001", "0002"] }, [raise]],
  [
    "a new signature of a released routine",
    { ...released, routines: newSignature },
    [rename, raise],
  ],
  [
    "a new signature with a new version",
    { ...released, routines: newSignature, routinesVersion: 2 },
    [rename],
  ],
  [
    "a new name with a new version",
    { ...released, routines: { get_jobs_2: newSignature.get_jobs }, routinesVersion: 2 },
    [],
  ],
])("%s", (_, after, expected) => {
  expect(forbiddenChanges(before, after)).toEqual(expected);
});
