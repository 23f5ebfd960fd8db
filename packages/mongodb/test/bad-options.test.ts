import { expect, it } from "vitest";
import { createMongoNotifyAdapter, createMongoStateAdapter } from "../src/index.ts";
import { createMongodbProvider } from "../src/providers/mongodb.ts";

it("something else in the place of a provider or a client is refused by its option", async () => {
  await expect(createMongoStateAdapter({} as never)).rejects.toMatchObject({
    option: "stateProvider",
  });
  await expect(createMongoNotifyAdapter({} as never)).rejects.toMatchObject({ option: "provider" });
  expect(() => createMongodbProvider({ client: "mongodb://localhost" } as never)).toThrow(
    "`client` is a string of 19 characters: give a `MongoClient`",
  );
});
