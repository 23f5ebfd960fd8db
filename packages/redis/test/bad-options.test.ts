import { expect, it } from "vitest";
import { createRedisNotifyAdapter } from "../src/index.ts";

it("something else in the place of a provider is refused by its option", async () => {
  const creating = createRedisNotifyAdapter({ client: {} } as never);
  await expect(creating).rejects.toMatchObject({
    code: "QUEUERT_INVALID_OPTION",
    option: "provider",
  });
});
