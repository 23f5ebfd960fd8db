import { connect } from "@nats-io/transport-node";
import { describe, expect, it } from "vitest";
import { startNats } from "../src/nats.ts";
import { closing } from "./closing.ts";

describe("nats", () => {
  it("has JetStream and is there again after restart and kill", async () => {
    await using server = await closing(startNats({ exclusive: true }));
    await server.restart();
    await server.kill();
    await server.start();
    const connection = await connect({ servers: server.url });
    const answer = await connection.request("$JS.API.INFO", "", { timeout: 2_000 });
    expect(answer.json()).toMatchObject({ type: expect.stringContaining("account_info") });
    await connection.close();
  });
});
