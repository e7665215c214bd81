import { SendMessageBatchCommand, SendMessageCommand } from "@aws-sdk/client-sqs";
import { afterEach, describe, expect, it } from "vitest";
import { readSources } from "../events/source-properties.ts";
import { givenServices, type Played, type Services } from "./given-services.ts";
import { arnOf, givenTemplate } from "./given-template.ts";

const dead = arnOf("AWS::SQS::Queue", "dead");

function templateWith(mapping: object) {
  return givenTemplate(
    ["AWS::SQS::Queue", "dead"],
    [
      "AWS::SQS::Queue",
      "work",
      { VisibilityTimeout: 60, RedrivePolicy: { deadLetterTargetArn: dead, maxReceiveCount: 3 } },
    ],
    ["AWS::Lambda::Function", "worker"],
    [
      "AWS::Lambda::EventSourceMapping",
      "mapping",
      {
        EventSourceArn: arnOf("AWS::SQS::Queue", "work"),
        FunctionName: arnOf("AWS::Lambda::Function", "worker"),
        ...mapping,
      },
    ],
  );
}

interface QueueEvent {
  Records: { messageId: string; body: string }[];
}
const bodiesOf = (event: unknown) => (event as QueueEvent).Records.map((record) => record.body);

let services: Services;
async function start(mapping: object, worker: Played): Promise<void> {
  services = await givenServices({ template: templateWith(mapping), functions: { worker } });
}
const send = (MessageBody: string, more: object = {}) =>
  services.queueClient.send(
    new SendMessageCommand({ QueueUrl: services.queueUrl("work"), MessageBody, ...more }),
  );
const sendBatch = (...bodies: string[]) =>
  services.queueClient.send(
    new SendMessageBatchCommand({
      QueueUrl: services.queueUrl("work"),
      Entries: bodies.map((MessageBody, index) => ({ Id: String(index), MessageBody })),
    }),
  );

afterEach(() => services.stop());

describe("a queue source", () => {
  it("delivers messages in Lambda's documented shape and deletes the handled ones", async () => {
    const seen: unknown[] = [];
    await start({}, (event) => void seen.push(event));
    await send("hello", { MessageAttributes: { kind: { DataType: "String", StringValue: "greeting" } } });
    await services.events.settled();
    expect(seen).toEqual([
      {
        Records: [
          {
            messageId: expect.any(String),
            receiptHandle: expect.any(String),
            body: "hello",
            attributes: {
              ApproximateReceiveCount: "1",
              SentTimestamp: expect.stringMatching(/^\d{13}$/),
              SenderId: expect.any(String),
              ApproximateFirstReceiveTimestamp: expect.stringMatching(/^\d{13}$/),
            },
            messageAttributes: {
              kind: {
                dataType: "String",
                stringValue: "greeting",
                stringListValues: [],
                binaryListValues: [],
              },
            },
            md5OfBody: "5d41402abc4b2a76b9719d911017c592",
            eventSource: "aws:sqs",
            eventSourceARN: arnOf("AWS::SQS::Queue", "work"),
            awsRegion: "eu-west-1",
          },
        ],
      },
    ]);
    expect(await services.bodies("work")).toEqual([]);
  });

  it("shows a failed message again after the visibility timeout, and dead-letters it after the last time", async () => {
    const counts: string[] = [];
    await start({}, (event) => {
      const [record] = (
        event as unknown as { Records: { attributes: { ApproximateReceiveCount: string } }[] }
      ).Records;
      counts.push(record?.attributes.ApproximateReceiveCount ?? "");
      throw new Error("never");
    });
    await send("poison");
    await services.events.settled();
    expect(counts).toEqual(["1"]);
    await services.clock.advance(59_000);
    expect(counts).toEqual(["1"]);
    await services.clock.advance(600_000);
    expect(counts).toEqual(["1", "2", "3"]);
    expect(await services.bodies("work")).toEqual([]);
    expect(await services.bodies("dead")).toEqual(["poison"]);
  });

  it("keeps only the failed items of a batch", async () => {
    const seen: string[][] = [];
    await start({ FunctionResponseTypes: ["ReportBatchItemFailures"] }, (event) => {
      seen.push(bodiesOf(event));
      const bad = (event as unknown as QueueEvent).Records.filter(
        (record) => record.body === "bad" && seen.length === 1,
      );
      return { batchItemFailures: bad.map((record) => ({ itemIdentifier: record.messageId })) };
    });
    await sendBatch("good", "bad", "fine");
    await services.events.settled();
    expect(await services.bodies("work")).toEqual(["bad"]);
    await services.clock.advance(60_000);
    expect(seen.at(-1)).toEqual(["bad"]);
    expect(await services.bodies("work")).toEqual([]);
  });

  it("fails the whole batch where the answer makes no sense", async () => {
    await start({ FunctionResponseTypes: ["ReportBatchItemFailures"] }, () => ({ batchItemFailures: [{}] }));
    await sendBatch("a", "b");
    await services.events.settled();
    expect((await services.bodies("work")).sort()).toEqual(["a", "b"]);
  });

  it("is rejected at start with a filter", async () => {
    const Filters = [{ Pattern: JSON.stringify({ body: { kind: ["wanted"] } }) }];
    const template = templateWith({ FilterCriteria: { Filters } });
    expect(() => readSources(template)).toThrow("a filter of a queue is not known");
    await start({}, () => undefined);
  });

  it("runs at most as many batches at once as the mapping allows", async () => {
    let running = 0;
    let most = 0;
    const gate = Promise.withResolvers<void>();
    await start({ BatchSize: 1, ScalingConfig: { MaximumConcurrency: 3 } }, async () => {
      running += 1;
      most = Math.max(most, running);
      if (running === 3) gate.resolve();
      await gate.promise;
      running -= 1;
    });
    await sendBatch("1", "2", "3", "4", "5", "6", "7", "8");
    await services.events.settled();
    expect(most).toBe(3);
    expect(await services.bodies("work")).toEqual([]);
  });

  it("sees a delayed message when its time has come", async () => {
    const seen: string[] = [];
    await start({}, (event) => void seen.push(...bodiesOf(event)));
    await send("later", { DelaySeconds: 600 });
    await services.clock.advance(599_000);
    expect(seen).toEqual([]);
    await services.clock.advance(1_000);
    expect(seen).toEqual(["later"]);
  });

  it("takes a message within 50 ms and what a few round trips take", async () => {
    const taken: number[] = [];
    await start({}, () => void taken.push(performance.now()));
    // A busy machine only ever adds to what it takes: one round that it left alone is enough.
    let quickest = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 100 && quickest >= 50; round += 1) {
      const before = performance.now();
      await send(`m${round}`);
      const sent = performance.now();
      await services.events.settled();
      const wait = (taken[round] ?? Number.POSITIVE_INFINITY) - sent;
      quickest = Math.min(quickest, wait - 5 * (sent - before));
    }
    expect(quickest).toBeLessThan(50);
  });
});
