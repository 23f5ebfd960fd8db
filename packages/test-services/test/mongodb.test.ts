import { MongoClient } from "mongodb";
import { describe, expect, it } from "vitest";
import { startMongodb } from "../src/mongodb.ts";
import { startMongodbSharded } from "../src/mongodb-sharded.ts";
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

  it("spreads a collection over two shards", async () => {
    await using cluster = await closing(startMongodbSharded());
    const { url, name } = await cluster.createDatabase();
    await cluster.shard(name, "numbers", { _id: "hashed" });
    await using client = await new MongoClient(url).connect();
    const documents = Array.from({ length: 50 }, (_, number) => ({ number }));
    await client.db(name).collection("numbers").insertMany(documents);
    const counts = await Promise.all(
      cluster.shardUrls.map(async (shardUrl) => {
        await using shard = await new MongoClient(shardUrl).connect();
        // Awaited here: the client is closed on the way out.
        return await shard.db(name).collection("numbers").countDocuments();
      }),
    );
    expect(Math.min(...counts)).toBeGreaterThan(0);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(50);
  }, 60_000);
});
