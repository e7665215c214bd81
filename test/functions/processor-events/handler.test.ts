import type { SQSEvent } from "aws-lambda";
import { describe, expect, it } from "vitest";
import { handler } from "../../../functions/processor-events/handler.ts";
import type { Reply } from "../../../shared/authorizations/decisions/ask.ts";
import { readProgramControls } from "../../../shared/controls/rulebooks.ts";
import { newId } from "../../../shared/platform/id.ts";
import { balancesIn, expectBooksInOrder } from "../../harness/books.ts";
import { givenNetwork } from "../../harness/given-network.ts";
import { approve, givenReceiver } from "../../harness/given-receiver.ts";
import { refusedOf } from "../../harness/refused.ts";
import { givenProcessor } from "./given-processor.ts";

function queueEvent(bodies: readonly string[]): SQSEvent {
  const Records = bodies.map((body, index) => ({
    messageId: `message-${index}`,
    receiptHandle: "handle",
    body,
    attributes: {
      ApproximateReceiveCount: "1",
      SentTimestamp: "1795161600000",
      SenderId: "processor",
      ApproximateFirstReceiveTimestamp: "1795161600001",
    },
    messageAttributes: {},
    md5OfBody: "",
    eventSource: "aws:sqs",
    eventSourceARN: "arn:aws:sqs:eu-west-1:000000000000:processor-events",
    awsRegion: "eu-west-1",
  }));
  return { Records };
}

describe("the processor's queue", () => {
  it("asks the receiver about all authorizations of a batch at once, and applies the others in order", async () => {
    const network = await givenNetwork();
    const { programId, cardId } = network;
    const { promise: allAsked, resolve } = Promise.withResolvers<Reply>();
    let open = 0;
    await givenReceiver(programId, (question) => {
      open += 1;
      if (open === 3) resolve(approve(question));
      return allAsked;
    });
    const message = (eventId: string, event: object) =>
      JSON.stringify({ programId, cardId, eventId, ...event });
    const authorization = (number: number) => {
      const event = { kind: "authorization", authorizationId: `A${number}`, amount: 1_000 };
      return message(`authorization-${number}`, event);
    };
    const refund = message("refund", { kind: "refund", amount: 500 });
    await network.apply({ kind: "refund", amount: 500 });
    await readProgramControls(programId);
    const batch = [authorization(1), refund, authorization(2), "{", authorization(3)];
    expect(await handler(queueEvent(batch))).toEqual({
      batchItemFailures: [{ itemIdentifier: "message-3" }],
    });
    expect(await network.balances()).toEqual([8_000, 3_000, 11_000]);
  });

  it("keeps only malformed events and those whose record does not exist yet", async () => {
    const { programId, wallet, pending, cleared, reversed } = await givenProcessor();
    const depositId = newId("deposit");
    const message = (event: object, eventId: string) => JSON.stringify({ programId, eventId, ...event });
    const answer = await handler(
      queueEvent([
        "{",
        message(pending(depositId), "e1"),
        message({ ...pending(), amount: -1 }, "e2"),
        message(cleared(newId("deposit")), "e3"),
        message(cleared(depositId), "e4"),
        message(pending(depositId), "e1"),
        message(reversed(depositId), "e5"),
        JSON.stringify({ kind: "something_else", programId, eventId: "e6" }),
      ]),
    );
    expect(answer).toEqual({
      batchItemFailures: [0, 2, 3, 7].map((index) => ({ itemIdentifier: `message-${index}` })),
    });
    expect(balancesIn(await expectBooksInOrder(programId), wallet).availableMinor).toBe(100);
  });

  it("keeps an event once for the operator that was rejected for good and is delivered again", async () => {
    const { programId, cardId, apply } = await givenNetwork();
    await apply({ kind: "authorization", authorizationId: "A", amount: 500 });
    await apply({ kind: "clearing", authorizationId: "A", amount: 500 });
    const reversal = { kind: "authorization_reversal", programId, cardId, authorizationId: "A" };
    const bodies = ["r1", "r1", "r2"].map((eventId) => JSON.stringify({ ...reversal, eventId }));
    for (const body of bodies) expect(await handler(queueEvent([body]))).toEqual({ batchItemFailures: [] });
    expect((await refusedOf({ programId })).map(({ input }) => JSON.parse(input).eventId)).toEqual([
      "r2",
      "r1",
    ]);
  });

  it("keeps a wallet's notice that was rejected, and no passcode", async () => {
    const { programId, cardId, apply } = await givenNetwork();
    const request = { kind: "token_request", network: "visa", wallet: "apple_pay", requestorId: "r-1" };
    const asked = await apply({ ...request, tokenReference: "ref-1" } as never);
    const { tokenId } = asked as unknown as { tokenId: string };
    const events = [
      { kind: "token_notice", eventId: "n1", event: "delete" },
      { kind: "token_notice", eventId: "n2", event: "suspend" },
      { kind: "token_passcode", eventId: "p1", code: "000000" },
    ];
    const bodies = events.map((event) => JSON.stringify({ programId, cardId, tokenId, ...event }));
    expect(await handler(queueEvent(bodies))).toEqual({ batchItemFailures: [] });
    expect((await refusedOf({ programId })).map(({ input }) => JSON.parse(input).eventId)).toEqual(["n2"]);
  });

  it("fails a direct invocation whose event is malformed", async () => {
    await expect(handler({ kind: "deposit_pending" })).rejects.toThrow();
  });
});
