import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  CreateTableCommand,
  DeleteItemCommand,
  DynamoDBClient,
  GetItemCommand,
  ListTablesCommand,
  PutItemCommand,
} from "@aws-sdk/client-dynamodb";
import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetShardIteratorCommand,
  ListStreamsCommand,
} from "@aws-sdk/client-dynamodb-streams";
import { afterEach, describe, expect, it } from "vitest";
import { type DynamoEngine, startDynamo } from "../engines/dynamo.ts";
import { openRecordReader } from "../events/record-reader.ts";

const running: DynamoEngine[] = [];
const directories: string[] = [];

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "dynamo-"));
  directories.push(directory);
  return directory;
}

async function start(directory: string, onFailure?: (error: Error) => void): Promise<DynamoEngine> {
  const engine = await startDynamo({ directory, choice: "dynoxide", ...(onFailure && { onFailure }) });
  running.push(engine);
  return engine;
}

const identity = {
  region: "eu-west-1",
  credentials: { accessKeyId: "local", secretAccessKey: "local" },
};

function clientOf(endpoint: string): DynamoDBClient {
  return new DynamoDBClient({ ...identity, endpoint, maxAttempts: 8 });
}

async function createTable(client: DynamoDBClient): Promise<void> {
  await client.send(
    new CreateTableCommand({
      TableName: "notes",
      KeySchema: [{ AttributeName: "pk", KeyType: "HASH" }],
      AttributeDefinitions: [{ AttributeName: "pk", AttributeType: "S" }],
      BillingMode: "PAY_PER_REQUEST",
      StreamSpecification: { StreamEnabled: true, StreamViewType: "NEW_AND_OLD_IMAGES" },
    }),
  );
}

const put = (client: DynamoDBClient, pk: string) =>
  client.send(new PutItemCommand({ TableName: "notes", Item: { pk: { S: pk } } }));

const get = async (client: DynamoDBClient, pk: string) =>
  (await client.send(new GetItemCommand({ TableName: "notes", Key: { pk: { S: pk } } }))).Item;

afterEach(async () => {
  for (const engine of running.splice(0)) await engine.stop();
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
});

describe("dynoxide", () => {
  it("reports a commit at once, and otherwise after the given time", async () => {
    const engine = await start(newDirectory());
    const client = clientOf(engine.endpoint);
    await createTable(client);
    const change = engine.nextChange(3_600_000);
    await put(client, "a");
    await change;
    await engine.nextChange(1);
  });

  it("reports changes until a commit is visible", async () => {
    const engine = await start(newDirectory());
    const client = clientOf(engine.endpoint);
    await createTable(client);
    for (let count = 0; count < 20; count += 1) {
      const before = engine.commitMarker();
      const write = put(client, `n${count}`);
      while (engine.commitMarker() === before) await engine.nextChange(10_000);
      await write;
    }
  });

  it("keeps its data over a stop and a start", async () => {
    const directory = newDirectory();
    const first = await start(directory);
    await createTable(clientOf(first.endpoint));
    await put(clientOf(first.endpoint), "kept");
    await first.stop();
    const second = await start(directory);
    expect(await get(clientOf(second.endpoint), "kept")).toEqual({ pk: { S: "kept" } });
  });

  it("has the stream table that the index cures, and its lookup uses the index", async () => {
    const directory = newDirectory();
    const engine = await start(directory);
    await createTable(clientOf(engine.endpoint));
    await put(clientOf(engine.endpoint), "streamed");
    const database = new DatabaseSync(join(directory, "dynoxide", "data.db"), { readOnly: true });
    const columns = database.prepare("SELECT name FROM pragma_table_info('_stream_records')").all();
    expect(columns.map((column) => column.name)).toEqual(
      expect.arrayContaining(["table_name", "sequence_number", "shard_id", "new_image", "old_image"]),
    );
    const [row] = database.prepare("SELECT table_name, sequence_number FROM _stream_records").all();
    expect(row).toMatchObject({ table_name: "notes", sequence_number: expect.stringMatching(/^\d+$/) });
    const plan = database
      .prepare(
        "EXPLAIN QUERY PLAN SELECT MAX(CAST(sequence_number AS INTEGER)) FROM _stream_records WHERE table_name = 'notes'",
      )
      .all();
    expect(JSON.stringify(plan)).toContain("ix_seq");
    database.close();
  });

  it("has in its file what GetRecords answers", async () => {
    const engine = await start(newDirectory());
    const client = clientOf(engine.endpoint);
    await createTable(client);
    for (const pk of ["a", "b", "c"]) await put(client, pk);
    const Item = {
      pk: { S: "a" },
      text: { S: 'Zoë "\n' },
      some: { NS: ["1", "2"] },
      bytes: { B: Buffer.from("b") },
    };
    await client.send(new PutItemCommand({ TableName: "notes", Item }));
    await client.send(new DeleteItemCommand({ TableName: "notes", Key: { pk: { S: "a" } } }));
    const streams = new DynamoDBStreamsClient({ ...identity, endpoint: engine.endpoint });
    const { Streams } = await streams.send(new ListStreamsCommand({ TableName: "notes" }));
    const StreamArn = Streams?.[0]?.StreamArn;
    const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn }));
    const ShardId = StreamDescription?.Shards?.[0]?.ShardId;
    const first = { StreamArn, ShardId, ShardIteratorType: "TRIM_HORIZON" } as const;
    const { ShardIterator = "" } = await streams.send(new GetShardIteratorCommand(first));
    streams.destroy();
    const byCall = openRecordReader(engine.endpoint, "eu-west-1");
    const fromFile = openRecordReader(engine.endpoint, "eu-west-1", engine.commitMarker, engine.readRecords);
    let iterator = ShardIterator;
    for (const count of [2, 2, 1]) {
      const called = await byCall(iterator, 2);
      const Records = called.Records.map((record) => ({ ...record, awsRegion: undefined }));
      const drainedAt = count < 2 ? engine.commitMarker() : undefined;
      expect(Records).toHaveLength(count);
      expect(await fromFile(iterator, 2)).toEqual({ ...called, Records, drainedAt });
      iterator = called.NextShardIterator ?? "";
    }
  });

  it("changes its commit marker at each write, and not at a read", async () => {
    const engine = await start(newDirectory());
    const client = clientOf(engine.endpoint);
    await createTable(client);
    const before = engine.commitMarker();
    await get(client, "nothing");
    expect(engine.commitMarker()).toBe(before);
    await put(client, "something");
    expect(engine.commitMarker()).not.toBe(before);
  });

  it("keeps everything it had answered when it dies, which is told", async () => {
    const directory = newDirectory();
    const ended = Promise.withResolvers<Error>();
    const engine = await start(directory, ended.resolve);
    await createTable(clientOf(engine.endpoint));
    await put(clientOf(engine.endpoint), "answered");
    process.kill(engine.pid ?? 0, "SIGKILL");
    expect((await ended.promise).message).toMatch(/ended by itself: it exited with SIGKILL$/);
    const next = await start(directory);
    expect(await get(clientOf(next.endpoint), "answered")).toEqual({ pk: { S: "answered" } });
  });

  it("stops the engine of a killed run and keeps its data", async () => {
    const directory = newDirectory();
    const module = new URL("../engines/dynamo.ts", import.meta.url).href;
    const program = `
      import { startDynamo } from ${JSON.stringify(module)};
      const engine = await startDynamo({ directory: ${JSON.stringify(directory)}, choice: "dynoxide" });
      console.log(JSON.stringify([engine.endpoint, engine.pid]));
      setInterval(() => undefined, 1000);`;
    const parent = spawn(process.execPath, ["--input-type=module-typescript", "-e", program], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = await once(parent.stdout, "data");
    const [endpoint, orphan] = JSON.parse(String(line));
    await createTable(clientOf(endpoint));
    await put(clientOf(endpoint), "answered");
    await expect(start(directory)).rejects.toThrow(`Process ${parent.pid} runs on the same files`);

    parent.kill("SIGKILL");
    await once(parent, "exit");
    const engine = await start(directory);
    expect(existsSync(`/proc/${orphan}/exe`)).toBe(false);
    expect(await get(clientOf(engine.endpoint), "answered")).toEqual({ pk: { S: "answered" } });
  });

  it("leaves another program alone that got the remembered process id", async () => {
    const directory = newDirectory();
    const engine = await start(directory);
    await engine.stop();
    const bystander = spawn("sleep", ["60"]);
    writeFileSync(join(directory, "dynoxide", "pid"), `${bystander.pid} 1\n`);
    await start(directory);
    expect([bystander.exitCode, bystander.signalCode]).toEqual([null, null]);
    bystander.kill();
  });
});

describe("the choice of engine", () => {
  it("uses an engine that runs elsewhere and does not stop it", async () => {
    const theirs = await start(newDirectory());
    const engine = await startDynamo({ directory: newDirectory(), choice: theirs.endpoint });
    expect(engine.endpoint).toBe(theirs.endpoint);
    await engine.stop();
    expect((await clientOf(theirs.endpoint).send(new ListTablesCommand({}))).TableNames).toEqual([]);
  });

  it("rejects any other choice", async () => {
    await expect(startDynamo({ directory: newDirectory(), choice: "dynalite" })).rejects.toThrow(
      'LOCAL_DYNAMODB is "dynalite"',
    );
  });
});
