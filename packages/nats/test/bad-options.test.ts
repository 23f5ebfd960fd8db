import { expect, it } from "vitest";
import { createNatsNotifyAdapter } from "../src/index.ts";

it("a connection that was not awaited is refused by its option", async () => {
  const creating = createNatsNotifyAdapter({ nc: Promise.resolve({}) } as never);
  await expect(creating).rejects.toThrow("`nc` is a promise that was not awaited");
});
