// The identity of a store whose tables were emptied, as tests of applications do.
import { expect, it } from "vitest";
import { openStore, temporaryFile } from "./open-store.ts";

it("an emptied store gets a new identity, written once", async () => {
  const filename = temporaryFile();
  const first = await openStore(filename);
  const before = await first.adapter.getStoreId();
  await first.provider.write((connection) => connection.exec("DELETE FROM queuert_store"));
  const second = await openStore(filename);
  const storeIds = await Promise.all(
    [first, second, first].map(({ adapter }) => adapter.getStoreId()),
  );
  expect(new Set(storeIds).size).toBe(1);
  expect(storeIds[0]).toMatch(/^[a-z0-9]{16}$/);
  expect(storeIds).not.toContain(before);
  const other = await openStore();
  await other.provider.write((connection) => connection.exec("DELETE FROM queuert_store"));
  expect(await other.adapter.getStoreId()).not.toBe(storeIds[0]);
});
