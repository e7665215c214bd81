import { spawnSync } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import type { DynamoEngine } from "../engines/dynamo.ts";
import { readSources } from "../events/source-properties.ts";
import type { Played, Services } from "./given-services.ts";
import { givenStream, keysOf, putItem, type StreamEvent, streamArn, templateWith } from "./given-stream.ts";
import { arnOf } from "./given-template.ts";

let services: Services;
const start = async (...args: Parameters<typeof givenStream>): Promise<void> => {
  services = await givenStream(...args);
};
const put = (pk: string, sk?: string, more?: object) => putItem(services, pk, sk, more);

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
    // A busy machine only ever adds to what it takes: one round that it left alone is enough.
    let quickest = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 100 && quickest >= 50; round += 1) {
      const before = performance.now();
      await put(`k${round}`);
      const written = performance.now();
      await services.events.settled();
      const wait = (noticed[round] ?? Number.POSITIVE_INFINITY) - written;
      quickest = Math.min(quickest, wait - 5 * (written - before));
    }
    expect(quickest).toBeLessThan(50);
  });

  it("looks five times a second at a store that rests", async () => {
    let looks = 0;
    const watched = (engine: DynamoEngine): DynamoEngine => ({
      ...engine,
      commitMarker: () => {
        looks += 1;
        return engine.commitMarker();
      },
    });
    await start({}, () => {}, { watched });
    await put("a");
    await services.events.settled();
    await delay(200);
    looks = 0;
    await delay(1_000);
    expect(looks).toBeGreaterThan(0);
    expect(looks).toBeLessThanOrEqual(8);
  });

  it("collects records for the batching window", async () => {
    const seen: string[][] = [];
    await start({ MaximumBatchingWindowInSeconds: 2 }, (event) => void seen.push(keysOf(event)));
    await put("a");
    await put("b");
    await expect.poll(() => seen, { interval: 20, timeout: 20_000 }).toEqual([["a", "b"]]);
  });

  it("does not keep those waiting who wait for the end of all work", async () => {
    const seen: string[][] = [];
    await start({ MaximumBatchingWindowInSeconds: 60 }, (event) => void seen.push(keysOf(event)));
    await put("a");
    await services.events.settled();
    expect(seen).toEqual([["a"]]);
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

  it("has no record for a write that changes nothing", async () => {
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

  it("begins at the end of the stream if it is to, and continues from there", async () => {
    await start({ Enabled: false }, () => {});
    await put("before");
    const { directory } = services;
    const seen: string[] = [];
    const relay = (event: unknown) => void seen.push(...keysOf(event));
    for (const pk of ["first", "second"]) {
      await services.stop({ keep: true });
      await start({ StartingPosition: "LATEST" }, relay, { directory });
      await put(pk);
      await services.events.settled();
      await services.events.stop();
      await put(`after ${pk}`);
    }
    expect(seen).toEqual(["first", "after first", "second"]);
  });

  it("continues after a restart at its position, with the records written meanwhile", async () => {
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

  it.skipIf(spawnSync("java", ["-version"]).status !== 0)(
    "reads DynamoDB Local too",
    async () => {
      const seen: string[] = [];
      await start({}, (event) => void seen.push(...keysOf(event)), { dynamoChoice: "dynamodb-local" });
      for (const pk of ["first", "second"]) {
        await put(pk);
        await services.events.settled();
        expect(seen.at(-1)).toBe(pk);
      }
      expect(seen).toHaveLength(2);
    },
    240_000,
  );
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
    ["another starting position", { StartingPosition: "AT_TIMESTAMP" }, "StartingPosition"],
    ["another response type", { FunctionResponseTypes: ["Other"] }, "FunctionResponseTypes"],
  ])("are refused at start for %s", (_, mapping, message) => {
    expect(() => readSources(templateWith(mapping))).toThrow(message);
  });
});
