import type { SQSEvent } from "aws-lambda";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { cause, correlate, correlated, correlation, log } from "../../../../shared/platform/log.ts";
import {
  consumeBatch,
  consumeInBulk,
  consumeTogether,
} from "../../../../shared/platform/queue/consume-batch.ts";

const batch = {
  Records: ["a", "b", "c"].map((body) => ({ messageId: `message-${body}`, body })),
} as unknown as SQSEvent;

/** The ids of the lines that were written, by what the line is about. */
let lines: Record<string, object>;

beforeEach(() => {
  lines = {};
  vi.spyOn(log, "info").mockImplementation((message) => {
    lines[message] = correlation();
  });
  vi.spyOn(log, "error").mockImplementation((_, facts) => {
    lines[String(facts?.messageId)] = correlation();
  });
});
afterEach(() => {
  vi.restoreAllMocks();
});

const turn = () => new Promise(setImmediate);

const consume = async ({ body }: { body: string }) => {
  await turn();
  correlate({ eventId: body });
  await turn();
  log.info(body);
  if (body === "b") throw new Error("b fails.");
};

const each = { a: { eventId: "a" }, b: { eventId: "b" }, "message-b": { eventId: "b" }, c: { eventId: "c" } };

describe("the log lines of a batch", () => {
  it.each([
    ["together", consumeTogether],
    ["one after the other", consumeBatch],
  ])("have the ids of their own message, consumed %s, and so has the failure", async (_, consumeAll) => {
    expect((await consumeAll(batch, consume)).batchItemFailures).toEqual([{ itemIdentifier: "message-b" }]);
    expect(lines).toEqual(each);
  });

  it("have the ids of their message in both steps of bulk work", async () => {
    const failed = await consumeInBulk(
      batch,
      async (record) => {
        await consume(record);
        return record.body;
      },
      async (parts) => parts.map((part) => (part === "c" ? new Error("c fails.") : undefined)),
    );
    expect(failed.batchItemFailures).toHaveLength(2);
    expect(lines).toEqual({ ...each, "message-c": { eventId: "c" } });
  });
});

describe("the cause of work", () => {
  it("is known within the work and its inner work only", async () => {
    expect(cause()).toBeUndefined();
    await correlated({ requestId: "r", route: "GET /wallets" }, async () => {
      await correlated({ processorEventId: "p" }, async () => {
        await turn();
        expect(cause()).toEqual({ requestId: "r", processorEventId: "p" });
      });
      expect(cause()).toEqual({ requestId: "r" });
    });
    expect(correlation()).toEqual({});
  });

  it("is undefined if only the event itself is known", () => {
    expect(correlated({ eventId: "e", requestId: undefined }, cause)).toBeUndefined();
  });
});
