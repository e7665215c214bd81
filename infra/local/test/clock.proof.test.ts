import { PutItemCommand } from "@aws-sdk/client-dynamodb";
import { SendMessageCommand } from "@aws-sdk/client-sqs";
import { afterEach, describe, expect, it } from "vitest";
import { AdvanceUnfinished } from "../clock.ts";
import { givenSchedules, HOUR_MS, minutely } from "./given-schedules.ts";
import type { Services } from "./given-services.ts";

let services: Services;
const start = async (...args: Parameters<typeof givenSchedules>): Promise<void> => {
  services = await givenSchedules(...args);
};

afterEach(() => services.stop());

describe("a schedule whose function says when it has something to do next", () => {
  const table: [string, string, object] = [
    "AWS::DynamoDB::GlobalTable",
    "notes",
    {
      KeySchema: [{ AttributeName: "pk", KeyType: "HASH" }],
      AttributeDefinitions: [{ AttributeName: "pk", AttributeType: "S" }],
    },
  ];
  const iso = (ms: number) => new Date(ms).toISOString();

  it("is passed by until then while the clock is moved", async () => {
    const seen: number[] = [];
    let nextDueAt: string | undefined;
    await start([minutely], {
      sweep: () => {
        seen.push(services.clock.now());
        return { nextDueAt };
      },
    });
    const due = services.clock.now() + 5 * 24 * HOUR_MS + 1_234;
    nextDueAt = iso(due);
    await services.clock.advance(5 * 24 * HOUR_MS);
    // At the first minute, and where the clock came to rest.
    expect(seen).toHaveLength(2);
    await services.clock.advance(2 * 24 * HOUR_MS);
    expect((seen[2] ?? 0) - due).toBeGreaterThanOrEqual(0);
    expect((seen[2] ?? 0) - due).toBeLessThan(60_000);
  });

  it("runs at each of its times again after another write", async () => {
    let runs = 0;
    const put = () =>
      services.tableClient.send(new PutItemCommand({ TableName: "notes", Item: { pk: { S: "a" } } }));
    await start([table, minutely], {
      sweep: () => {
        runs += 1;
        return { nextDueAt: null };
      },
      worker: put,
    });
    await services.clock.advance(10 * 60_000);
    expect(runs).toBe(2);
    const QueueUrl = services.queueUrl("work");
    await services.queueClient.send(
      new SendMessageCommand({ QueueUrl, MessageBody: "m", DelaySeconds: 290 }),
    );
    await services.clock.advance(10 * 60_000);
    // The message precedes the fifth minute: the run at that minute, and the last one.
    expect(runs).toBe(4);
  });

  it("is discarded after a run with another write", async () => {
    let runs = 0;
    await start([table, minutely], {
      sweep: async () => {
        runs += 1;
        const Item = { pk: { S: `run ${runs}` } };
        await services.tableClient.send(new PutItemCommand({ TableName: "notes", Item }));
        return { nextDueAt: null };
      },
    });
    await services.clock.advance(5 * 60_000);
    expect(runs).toBe(5);
  });
});

describe("the virtual clock", () => {
  it("stops an advance that takes too long, reports the rest and continues from there", async () => {
    let runs = 0;
    await start([minutely], {
      sweep: () => {
        runs += 1;
        return null;
      },
    });
    const from = services.clock.now();
    const unfinished = await services.clock.advance(10 * HOUR_MS, 0).catch((error: unknown) => error);
    expect(unfinished).toBeInstanceOf(AdvanceUnfinished);
    const { leftMs } = unfinished as AdvanceUnfinished;
    expect(leftMs).toBeGreaterThan(9 * HOUR_MS);
    expect(leftMs + services.clock.now() - from).toBeGreaterThanOrEqual(10 * HOUR_MS);
    await services.clock.advance(leftMs);
    expect(runs).toBeGreaterThanOrEqual(599);
    expect(services.clock.now() - from).toBeGreaterThanOrEqual(10 * HOUR_MS);
  });

  it("does not go back over a restart", async () => {
    await start([], {});
    await services.clock.advance(25 * HOUR_MS);
    const before = services.clock.now();
    const { directory } = services;
    await services.stop({ keep: true });
    await start([], {}, directory);
    expect(services.clock.now()).toBeGreaterThanOrEqual(before);
  });

  it("takes advances that are asked for at once one after the other", async () => {
    let runs = 0;
    await start([minutely], { sweep: () => void runs++ });
    const from = services.clock.now();
    await Promise.all([services.clock.advance(10 * 60_000), services.clock.advance(20 * 60_000)]);
    expect(runs).toBe(30);
    expect(services.clock.now() - from).toBeGreaterThanOrEqual(30 * 60_000);
  });
});
