import { afterEach, describe, expect, it } from "vitest";
import type { Services } from "./given-services.ts";
import {
  dead,
  givenStream,
  keysOf,
  putItem,
  putTogether,
  type StreamEvent,
  streamArn,
} from "./given-stream.ts";
import { arnOf } from "./given-template.ts";

let services: Services;
const start = async (...args: Parameters<typeof givenStream>): Promise<void> => {
  services = await givenStream(...args);
};

afterEach(() => services.stop());

describe("a stream source whose function fails", () => {
  it("tries a failed batch again, nothing overtaking it", async () => {
    const seen: string[][] = [];
    let failures = 2;
    await start({}, (event) => {
      seen.push(keysOf(event));
      if (failures-- > 0) throw new Error("not yet");
    });
    await putTogether(services, "a", "b");
    await services.events.settled();
    await putItem(services, "c");
    await services.clock.advance(10_000);
    expect(seen).toEqual([["a", "b"], ["a", "b"], ["a", "b"], ["c"]]);
  });

  it("halves a failing batch until the failing record is alone, and sends that to the failure queue", async () => {
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
    await putTogether(services, "a", "b", "poison", "c", "d");
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

  it("retries from the first failed item", async () => {
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
    await putTogether(services, "a", "b", "c");
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
    await putTogether(services, "a", "b");
    await services.clock.advance(10_000);
    expect(seen).toEqual([
      ["a", "b"],
      ["a", "b"],
    ]);
  });

  it("sends a record that is too old to the failure queue", async () => {
    let calls = 0;
    await start(
      { MaximumRecordAgeInSeconds: 3600, DestinationConfig: { OnFailure: { Destination: dead } } },
      () => {
        calls += 1;
        throw new Error("never");
      },
    );
    await putItem(services, "old");
    await services.clock.advance(2 * 3600_000);
    const [body = ""] = await services.bodies("given-up");
    expect(JSON.parse(body).requestContext.condition).toBe("RecordAgeExceeded");
    expect(calls).toBeGreaterThan(5);
    const before = calls;
    await services.clock.advance(3600_000);
    expect(calls).toBe(before);
  });
});
