import { spawnSync } from "node:child_process";
import { PutItemCommand, TransactWriteItemsCommand } from "@aws-sdk/client-dynamodb";
import { afterEach, describe, expect, it } from "vitest";
import { readSources } from "../../infra/local/events/source-properties.ts";
import { type Played, type Services, startServices } from "./services.ts";
import { arnOf, templateOf } from "./template.ts";

const table = {
  KeySchema: [
    { AttributeName: "pk", KeyType: "HASH" },
    { AttributeName: "sk", KeyType: "RANGE" },
  ],
  AttributeDefinitions: [
    { AttributeName: "pk", AttributeType: "S" },
    { AttributeName: "sk", AttributeType: "S" },
  ],
  StreamSpecification: { StreamViewType: "NEW_AND_OLD_IMAGES" },
};
const dead = arnOf("AWS::SQS::Queue", "given-up");
const streamArn = `${arnOf("AWS::DynamoDB::Table", "ledger")}/stream/local`;

function templateWith(mapping: object) {
  return templateOf(
    ["AWS::DynamoDB::Table", "ledger", table],
    ["AWS::SQS::Queue", "given-up"],
    ["AWS::Lambda::Function", "relay"],
    [
      "AWS::Lambda::EventSourceMapping",
      "mapping",
      { EventSourceArn: streamArn, FunctionName: "relay", StartingPosition: "TRIM_HORIZON", ...mapping },
    ],
  );
}

interface StreamEvent {
  Records: { eventName: string; dynamodb: { SequenceNumber: string; NewImage: { pk: { S: string } } } }[];
}
const keysOf = (event: unknown) =>
  (event as StreamEvent).Records.map((record) => record.dynamodb.NewImage.pk.S);

let services: Services;
async function start(mapping: object, relay: Played, more: object = {}): Promise<void> {
  services = await startServices({ template: templateWith(mapping), functions: { relay }, ...more });
}
const put = (pk: string, sk = "OUTBOX", more: object = {}) =>
  services.tableClient.send(
    new PutItemCommand({ TableName: "ledger", Item: { pk: { S: pk }, sk: { S: sk }, ...more } }),
  );

/** Several records that the source meets as one batch: written in one commit. */
const putTogether = (...keys: string[]) =>
  services.tableClient.send(
    new TransactWriteItemsCommand({
      TransactItems: keys.map((pk) => ({
        Put: { TableName: "ledger", Item: { pk: { S: pk }, sk: { S: "OUTBOX" } } },
      })),
    }),
  );

describe("a stream source", () => {
  afterEach(() => services.stop());

  it("hands over records in Lambda's documented shape", async () => {
    const seen: unknown[] = [];
    await start({}, (event) => void seen.push(event));
    await put("a", "OUTBOX", { n: { N: "1" }, b: { B: Buffer.from("bytes") } });
    await services.events.settled();
    const image = { pk: { S: "a" }, sk: { S: "OUTBOX" }, n: { N: "1" }, b: { B: "Ynl0ZXM=" } };
    expect(seen).toEqual([
      {
        Records: [
          {
            eventID: expect.any(String),
            eventName: "INSERT",
            eventVersion: "1.1",
            eventSource: "aws:dynamodb",
            awsRegion: "eu-west-1",
            dynamodb: {
              ApproximateCreationDateTime: expect.any(Number),
              Keys: { pk: { S: "a" }, sk: { S: "OUTBOX" } },
              NewImage: image,
              SequenceNumber: expect.stringMatching(/^\d+$/),
              SizeBytes: expect.any(Number),
              StreamViewType: "NEW_AND_OLD_IMAGES",
            },
            eventSourceARN: streamArn,
          },
        ],
      },
    ]);
  });

  it("notices a record within 50 ms and what a few round trips take", async () => {
    const noticed: number[] = [];
    await start({}, () => void noticed.push(performance.now()));
    const waits: number[] = [];
    const trips: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      const before = performance.now();
      await put(`k${round}`);
      const written = performance.now();
      await services.events.settled();
      trips.push(written - before);
      waits.push((noticed[round] ?? Number.POSITIVE_INFINITY) - written);
    }
    const median = (values: number[]) => values.toSorted((a, b) => a - b)[2] ?? 0;
    expect(median(waits)).toBeLessThan(50 + 5 * median(trips));
  });

  it("passes on only what a filter wants, and does not stop at the rest", async () => {
    const seen: string[] = [];
    const Pattern = JSON.stringify({
      eventName: ["INSERT"],
      dynamodb: { NewImage: { sk: { S: ["OUTBOX"] } } },
    });
    await start({ FilterCriteria: { Filters: [{ Pattern }] } }, (event) => void seen.push(...keysOf(event)));
    await put("a");
    await put("b", "CARD");
    await put("a", "OUTBOX", { changed: { S: "yes" } });
    await put("c");
    await services.events.settled();
    expect(seen).toEqual(["a", "c"]);
  });

  it("knows nothing of a write that changes nothing", async () => {
    const seen: string[] = [];
    await start({}, (event) => {
      for (const { eventName } of (event as unknown as StreamEvent).Records) seen.push(eventName);
    });
    await put("a", "OUTBOX", { n: { N: "1" } });
    await put("a", "OUTBOX", { n: { N: "1" } });
    await put("a", "OUTBOX", { n: { N: "2" } });
    await services.events.settled();
    expect(seen).toEqual(["INSERT", "MODIFY"]);
  });

  it("carries on after a restart where it was, with what came in between", async () => {
    const seen: string[] = [];
    const relay: Played = (event) => void seen.push(...keysOf(event));
    await start({}, relay);
    await put("before");
    await services.events.settled();
    const { directory } = services;
    await services.events.stop();
    await put("between");
    await services.stop({ keep: true });
    await start({}, relay, { directory });
    await put("after");
    await services.events.settled();
    expect(seen).toEqual(["before", "between", "after"]);
  });

  it("brings a record again when the run ended while its function was at work", async () => {
    const begun = Promise.withResolvers<void>();
    const seen: string[] = [];
    await start({}, () => {
      begun.resolve();
      return new Promise(() => undefined);
    });
    await put("unfinished");
    await begun.promise;
    const { directory } = services;
    await services.stop({ keep: true });
    await start({}, (event) => void seen.push(...keysOf(event)), { directory });
    await services.events.settled();
    expect(seen).toEqual(["unfinished"]);
  });

  it("tries a failed batch again, nothing overtaking it", async () => {
    const seen: string[][] = [];
    let failures = 2;
    await start({}, (event) => {
      seen.push(keysOf(event));
      if (failures-- > 0) throw new Error("not yet");
    });
    await putTogether("a", "b");
    await services.events.settled();
    await put("c");
    await services.clock.advance(10_000);
    expect(seen).toEqual([["a", "b"], ["a", "b"], ["a", "b"], ["c"]]);
  });

  it("halves a failing batch until the poison stands alone, and gives that up to the failure queue", async () => {
    const done: string[] = [];
    await start(
      {
        BisectBatchOnFunctionError: true,
        MaximumRetryAttempts: 2,
        DestinationConfig: { OnFailure: { Destination: dead } },
      },
      (event) => {
        if (keysOf(event).includes("poison")) throw new Error("no");
        done.push(...keysOf(event));
      },
    );
    await putTogether("a", "b", "poison", "c", "d");
    await services.clock.advance(60_000);
    expect(done).toEqual(["a", "b", "c", "d"]);
    const [body = "", ...more] = await services.bodies("given-up");
    expect(more).toEqual([]);
    const record = JSON.parse(body);
    expect(record).toEqual({
      requestContext: {
        requestId: expect.any(String),
        functionArn: arnOf("AWS::Lambda::Function", "relay"),
        condition: "RetryAttemptsExhausted",
        approximateInvokeCount: 3,
      },
      responseContext: { statusCode: 200, executedVersion: "$LATEST", functionError: "Unhandled" },
      version: "1.0",
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      DDBStreamBatchInfo: {
        shardId: expect.any(String),
        startSequenceNumber: expect.any(String),
        endSequenceNumber: record.DDBStreamBatchInfo.startSequenceNumber,
        approximateArrivalOfFirstRecord: expect.any(String),
        approximateArrivalOfLastRecord: expect.any(String),
        batchSize: 1,
        streamArn,
      },
    });
  });

  it("goes on from the first failed item, and not before it", async () => {
    const seen: string[][] = [];
    let failing = true;
    await start({ FunctionResponseTypes: ["ReportBatchItemFailures"] }, (event) => {
      seen.push(keysOf(event));
      const bad = (event as unknown as StreamEvent).Records.find(
        (record) => failing && record.dynamodb.NewImage.pk.S === "b",
      );
      failing = bad === undefined;
      return {
        batchItemFailures: bad === undefined ? [] : [{ itemIdentifier: bad.dynamodb.SequenceNumber }],
      };
    });
    await putTogether("a", "b", "c");
    await services.clock.advance(10_000);
    expect(seen).toEqual([
      ["a", "b", "c"],
      ["b", "c"],
    ]);
  });

  it("takes an answer that names no item of the batch as a failure of all", async () => {
    const seen: string[][] = [];
    await start({ FunctionResponseTypes: ["ReportBatchItemFailures"], MaximumRetryAttempts: 1 }, (event) => {
      seen.push(keysOf(event));
      return { batchItemFailures: [{ itemIdentifier: "nonsense" }] };
    });
    await putTogether("a", "b");
    await services.clock.advance(10_000);
    expect(seen).toEqual([
      ["a", "b"],
      ["a", "b"],
    ]);
  });

  it("gives up a record by its age", async () => {
    let calls = 0;
    await start(
      { MaximumRecordAgeInSeconds: 3600, DestinationConfig: { OnFailure: { Destination: dead } } },
      () => {
        calls += 1;
        throw new Error("never");
      },
    );
    await put("old");
    await services.clock.advance(2 * 3600_000);
    const [body = ""] = await services.bodies("given-up");
    expect(JSON.parse(body).requestContext.condition).toBe("RecordAgeExceeded");
    expect(calls).toBeGreaterThan(5);
    const before = calls;
    await services.clock.advance(3600_000);
    expect(calls).toBe(before);
  });

  it("leaves out what was there before it, at LATEST, and nothing that came later", async () => {
    const seen: string[] = [];
    const relay: Played = (event) => void seen.push(...keysOf(event));
    await start({ Enabled: false }, relay);
    await put("early");
    const { directory } = services;
    await services.stop({ keep: true });
    await start({ StartingPosition: "LATEST" }, relay, { directory });
    await put("late");
    await services.events.settled();
    expect(seen).toEqual(["late"]);
  });

  it.skipIf(spawnSync("java", ["-version"]).status !== 0)(
    "carries on after a restart on DynamoDB Local too, which tells nothing of its commits",
    async () => {
      const seen: string[] = [];
      const relay: Played = (event) => void seen.push(...keysOf(event));
      const dynamoChoice = "dynamodb-local";
      await start({}, relay, { dynamoChoice });
      await put("before");
      await services.events.settled();
      expect(seen).toEqual(["before"]);
      const { directory } = services;
      await services.events.stop();
      await put("between");
      await services.stop({ keep: true });
      await start({}, relay, { directory, dynamoChoice });
      await put("after");
      await services.events.settled();
      expect(seen).toEqual(["before", "between", "after"]);
    },
  );

  it("survives a death of the engine", async () => {
    const seen: string[] = [];
    await start({}, (event) => void seen.push(...keysOf(event)));
    await put("a");
    await services.events.settled();
    const pid = services.dynamo.pid() ?? 0;
    process.kill(pid, "SIGKILL");
    await expect.poll(() => services.dynamo.pid(), { interval: 5 }).not.toBe(pid);
    await put("b");
    await expect.poll(() => seen, { interval: 5, timeout: 5000 }).toEqual(["a", "b"]);
  });
});

describe("the event sources of a template", () => {
  it.each<[string, object, string]>([
    [
      "a filter operator that it does not know",
      { FilterCriteria: { Filters: [{ Pattern: JSON.stringify({ eventName: [{ cidr: "10.0.0.0/8" }] }) }] } },
      "mapping.Filters[0].eventName[0].cidr: the operator is not known",
    ],
    ["a function that is not there", { FunctionName: "nobody" }, "there is no function nobody"],
    [
      "a source that is not there",
      { EventSourceArn: arnOf("AWS::SQS::Queue", "nowhere") },
      "is no stream or queue of the template",
    ],
    [
      "a destination other than a queue",
      { DestinationConfig: { OnFailure: { Destination: arnOf("AWS::Lambda::Function", "relay") } } },
      "is no queue of the template",
    ],
    ["another response type", { FunctionResponseTypes: ["Other"] }, "FunctionResponseTypes"],
  ])("are refused at start for %s", (_, mapping, message) => {
    expect(() => readSources(templateWith(mapping))).toThrow(message);
  });
});
