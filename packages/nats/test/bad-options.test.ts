import { expect, it } from "vitest";
import { createNatsNotifyAdapter } from "../src/index.ts";

it("a connection that was not awaited is refused by its option", async () => {
  const creating = createNatsNotifyAdapter({ nc: Promise.resolve({}) } as never);
  await expect(creating).rejects.toThrow("`nc` is a promise that was not awaited");
});

it("and so is a bucket", async () => {
  const ignore = (): void => undefined;
  const nc = { publish: ignore, subscribe: ignore, flush: ignore, status: ignore };
  for (const kv of [Promise.resolve({}), {}, "queuert"]) {
    await expect(createNatsNotifyAdapter({ nc, kv } as never)).rejects.toMatchObject({
      code: "QUEUERT_INVALID_OPTION",
      option: "kv",
    });
  }
});
