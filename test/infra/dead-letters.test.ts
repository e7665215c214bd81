import { describe, expect, it, test } from "vitest";
import { readLetter } from "../../infra/commands/dead-letters/letters.ts";
import { sources, streamSources, toSource } from "../../infra/commands/dead-letters/sources.ts";
import { environmentNames } from "../../infra/environments.ts";
import { resourcesOf, synthesized } from "./synthesized.ts";

const programId = "prg_01M7WB63Y8Q5QBZENH6SMZ4NFX";
const cardId = "crd_01M7WB63XSBP598NX1KQDG5CX0";
const letterOf = (body: unknown, more: object = {}) =>
  readLetter({ MessageId: "1", Body: typeof body === "string" ? body : JSON.stringify(body), ...more });

test.each(environmentNames)("every dead-letter queue of %s has its source's name", (name) => {
  const queues = resourcesOf(synthesized(name), "AWS::SQS::Queue").map(
    ([, { Properties }]) => Properties.QueueName as string,
  );
  const expected = sources.map((source) => `card-issuing-${name}-${source}-dead-letters`);
  expect(queues.filter((queue) => queue.endsWith("-dead-letters")).toSorted()).toEqual(expected.toSorted());
  for (const source of sources.filter((each) => !streamSources.has(each))) {
    expect(queues).toContain(`card-issuing-${name}-${source}`);
  }
  // None without a name: it would not be found.
  expect(queues.every((queue) => typeof queue === "string")).toBe(true);
});

describe("a dead letter", () => {
  it("from the bus shows its kind, its owner, and why its target rejected it", () => {
    const event = {
      "detail-type": "otp.challenged",
      detail: { programId, detail: { cardId, code: "123456" } },
    };
    const MessageAttributes = {
      ERROR_CODE: { DataType: "String", StringValue: "NO_PERMISSIONS" },
      ERROR_MESSAGE: { DataType: "String", StringValue: "Lack of permissions" },
      TARGET_ARN: { DataType: "String", StringValue: "arn" },
    };
    const Attributes = { SentTimestamp: "1800000000000", ApproximateReceiveCount: "3" };
    expect(letterOf(event, { MessageAttributes, Attributes })).toEqual({
      messageId: "1",
      kind: "otp.challenged",
      ids: { "detail.programId": programId, "detail.detail.cardId": cardId },
      sentAt: "2027-01-15T08:00:00.000Z",
      receives: 3,
      bytes: JSON.stringify(event).length,
      failure: { code: "NO_PERMISSIONS", message: "Lack of permissions" },
    });
  });

  it("of a callback shows message, endpoint and attempt", () => {
    const message = {
      programId,
      messageId: cardId,
      endpointId: "whk_01M7WB63XSBP598NX1KQDG5CX0",
      attempt: 11,
    };
    expect(letterOf(message)).toMatchObject({ kind: "callback", ids: message });
  });

  it("shows only values in the form of an identifier, under any name", () => {
    const hostile = {
      kind: "Ada Lovelace, 1 Main St",
      eventId: "Ada Lovelace 123456",
      authorizationId: { code: "123456" },
      attempt: "123456 tries",
      cardId: "4000001234567899",
      list: [programId, "Ada"],
      deep: { deep: { deep: { deep: { deep: { deep: { programId } } } } } },
    };
    const { kind, ids } = letterOf(hostile);
    expect([kind, ids]).toEqual(["unreadable", { "list.0": programId }]);
  });

  it.each(["", "no JSON", "null", "1", "[]", '"text"', "{"])("that is %j is unreadable", (body) => {
    expect(letterOf(body)).toMatchObject({ kind: "unreadable", ids: {} });
  });
});

it("rejects an unknown source", () => {
  expect(() => toSource("orders")).toThrow(/The queue is "orders"/);
});
