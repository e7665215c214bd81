import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CreateTableCommand, DynamoDBClient, GetItemCommand, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { thisMachine } from "../engines/choose-engine.ts";
import { type DynamoEngine, startDynamo } from "../engines/dynamo.ts";

describe.skipIf(thisMachine.javaVersion() === undefined)("DynamoDB Local", () => {
  let directory: string;
  let engine: DynamoEngine;
  let client: DynamoDBClient;

  async function start(): Promise<void> {
    engine = await startDynamo({ directory, choice: "dynamodb-local" });
    const credentials = { accessKeyId: "local", secretAccessKey: "local" };
    const { endpoint } = engine;
    client = new DynamoDBClient({ endpoint, region: "eu-west-1", credentials, maxAttempts: 1 });
  }

  const put = (pk: string) =>
    client.send(new PutItemCommand({ TableName: "notes", Item: { pk: { S: pk } } }));
  const get = async (pk: string) =>
    (await client.send(new GetItemCommand({ TableName: "notes", Key: { pk: { S: pk } } }))).Item;

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), "dynamodb-local-"));
    await start();
    await client.send(
      new CreateTableCommand({
        TableName: "notes",
        KeySchema: [{ AttributeName: "pk", KeyType: "HASH" }],
        AttributeDefinitions: [{ AttributeName: "pk", AttributeType: "S" }],
        BillingMode: "PAY_PER_REQUEST",
        StreamSpecification: { StreamEnabled: true, StreamViewType: "NEW_AND_OLD_IMAGES" },
      }),
    );
  });
  afterEach(async () => {
    client.destroy();
    await engine.stop();
    rmSync(directory, { recursive: true });
  });

  it("changes its commit marker at each write, and not at a read", async () => {
    for (const pk of ["first", "second"]) {
      const before = engine.commitMarker();
      await get(pk);
      expect(engine.commitMarker()).toBe(before);
      await put(pk);
      expect(engine.commitMarker()).not.toBe(before);
    }
  });

  it("answers every write while its marker is read without a pause, and reports the changes", async () => {
    let isWriting = true;
    let changes = 0;
    const reading = (async () => {
      for (let last = engine.commitMarker(); isWriting; await new Promise(setImmediate)) {
        const marker = engine.commitMarker();
        if (marker !== last) changes += 1;
        last = marker;
      }
    })();
    for (let count = 0; count < 100; count += 1) await put(`n${count}`);
    isWriting = false;
    await reading;
    expect(changes).toBeGreaterThan(90);
    const change = engine.nextChange(3_600_000);
    await put("another");
    await change;
  });

  it("keeps its data over a stop and a start, and when it dies", async () => {
    await put("kept");
    await engine.stop();
    await start();
    expect(await get("kept")).toEqual({ pk: { S: "kept" } });
    await put("answered");
    process.kill(engine.pid ?? 0, "SIGKILL");
    await start();
    expect(await get("answered")).toEqual({ pk: { S: "answered" } });
  });
});
