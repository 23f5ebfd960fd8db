import { MongoClient } from "mongodb";
import { describe, expect, it } from "vitest";
import { startMongodb } from "../src/mongodb.ts";
import { closing } from "./closing.ts";

describe("mongodb", () => {
  it("has transactions, and keeps its data through restart and kill", async () => {
    await using server = await closing(startMongodb({ exclusive: true }));
    const database = await server.createDatabase();
    await using client = await new MongoClient(database.url).connect();
    const kept = client.db(database.name).collection("kept");
    await client.withSession((session) =>
      session.withTransaction(() => kept.insertOne({ one: 1 }, { session })),
    );
    await server.restart();
    await server.kill();
    await server.start();
    expect(await kept.countDocuments()).toBe(1);
    await database.drop();
    expect(await kept.countDocuments()).toBe(0);
  });

  it("elects another of three members when the primary steps down", async () => {
    await using server = await closing(startMongodb({ exclusive: true, memberCount: 3 }));
    await using client = await new MongoClient(server.url).connect();
    const numbers = client.db("numbers").collection("numbers");
    await numbers.insertOne({ one: 1 });
    await server.stepDown();
    await numbers.insertOne({ two: 2 });
    expect(await numbers.countDocuments()).toBe(2);
  }, 60_000);
});
