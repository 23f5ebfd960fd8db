import { createOperator } from "queuert/operator";
import { describe, expect, it } from "vitest";
import { createProject } from "./project.ts";
import { createStore, seed, storeKinds } from "./stores.ts";

describe.each(storeKinds)("pause and resume on %s", (kind) => {
  it("hold job types, or every type, until they are resumed", async () => {
    const project = createProject();
    const store = await createStore(kind, project.folder);
    const client = await store.open();
    const run = (...args: string[]) => project.queuert(["--url", store.url, ...args]);
    expect(await run("pauses")).toMatchObject({ exitCode: 0, stderr: "nothing is paused\n" });
    const paused = await run("pause", "greet", "--note", "incident \u001b[2J88", "--for", "1h");
    expect(paused).toMatchObject({ exitCode: 0, stdout: "paused greet\n", stderr: "" });
    expect((await run("pause", "--all")).stdout).toBe("paused every type\n");
    const listed = await run("pauses");
    expect(listed.stdout).toMatch(/^greet\tpaused\t0\t.*\tincident \\u\{1b\}\[2J88$/m);
    expect(listed.stdout).toMatch(/^\(every type\)\tpaused\t0\t.*\t–\t–$/m);
    expect(await client.getPauses()).toHaveLength(2);

    expect((await run("resume", "greet")).stdout).toBe("resumed greet\n");
    expect((await run("resume", "greet")).stdout).toBe("greet: was not paused\n");
    expect((await run("resume", "--all")).stdout).toBe("resumed every type\n");
    expect(await client.getPauses()).toEqual([]);
    expect((await run("pause")).exitCode).toBe(2);
    expect((await run("pause", "greet", "--all")).exitCode).toBe(2);
  });

  it("are recorded with the user of the shell, as plans are", async () => {
    const project = createProject();
    const store = await createStore(kind, project.folder);
    const { client, laterId } = await seed(store);
    const run = (...args: string[]) =>
      project.queuert(["--url", store.url, ...args], { env: { USER: "ada" } });
    for (const args of [
      ["pause", "greet", "ship"],
      ["resume", "--all"],
      ["trigger", laterId, "--yes"],
    ]) {
      expect((await run(...args)).exitCode, args.join(" ")).toBe(0);
    }
    const actions = await createOperator({ queuert: client }).listActions();
    expect(actions.map(({ action, user }) => `${user} ${action}`).toReversed()).toEqual([
      "cli·ada pause",
      "cli·ada pause",
      "cli·ada resume",
      "cli·ada trigger",
    ]);
  });
});

describe.each(storeKinds)("cancel on %s", (kind) => {
  it("plans, cancels a sequence, and refuses one that has ended or is waited for", async () => {
    const project = createProject();
    const store = await createStore(kind, project.folder);
    const { client, laterId, completedId, blockedId, failedId } = await seed(store);
    const run = (...args: string[]) => project.queuert(["--url", store.url, ...args]);
    const planned = await run("cancel", laterId);
    expect(planned.exitCode).toBe(5);
    expect(planned.stdout).toContain("would cancel 1 sequence\n");
    expect(await client.getJob({ id: laterId })).toMatchObject({ status: "pending" });

    const cancelled = await run("cancel", laterId, "--yes", "--count", "1");
    expect(cancelled).toMatchObject({ exitCode: 0, stdout: "cancelled 1 sequence\n" });
    expect(await client.getJob({ id: laterId })).toMatchObject({ status: "cancelled" });
    expect((await run("cancel", completedId)).exitCode).toBe(4);
    expect((await run("cancel", laterId)).exitCode).toBe(4);

    // A job waits for the charge, once that is due again.
    await client.retryFailedJobs({ ids: [failedId] });
    const refused = await run("cancel", failedId, "--yes", "--count", "1");
    expect(refused.exitCode, refused.stdout).toBe(4);
    expect(refused.stdout).toContain(`refused ${failedId}: still_blocking\n`);
    const whole = await run("cancel", blockedId, "--yes", "--count", "1");
    expect(whole.exitCode, whole.stdout).toBe(0);
    expect(await client.getJob({ id: failedId })).toMatchObject({ status: "cancelled" });
  });
});
