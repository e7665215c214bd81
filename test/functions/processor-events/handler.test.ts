import { PutCommand } from "@aws-sdk/lib-dynamodb";
import type { SQSEvent } from "aws-lambda";
import { describe, expect, it } from "vitest";
import { handler } from "../../../functions/processor-events/handler.ts";
import { draftCardholder } from "../../../shared/cardholder/cardholder.ts";
import { timestamp } from "../../../shared/clock.ts";
import { CardholderCreate } from "../../../shared/contract/cardholders.ts";
import type { ProcessorEvent } from "../../../shared/contract/processor.ts";
import { environment } from "../../../shared/environment.ts";
import { newId } from "../../../shared/id.ts";
import { table } from "../../../shared/table/client.ts";
import {
  balancesIn,
  everythingOf,
  expectBooksInOrder,
  givenCard,
  givenProgram,
  givenWallet,
} from "../../harness/books.ts";
import { firstCalls, injectFaults } from "../../harness/faults.ts";

type Unsent<E = ProcessorEvent> = E extends ProcessorEvent ? Omit<E, "eventId" | "programId"> : never;

async function given() {
  const programId = await givenProgram();
  const wallet = await givenWallet(programId);
  const send = (event: Unsent, eventId = newId("event")) => handler({ programId, eventId, ...event });
  const pending = (depositId?: string, amount = 100): Unsent => ({
    kind: "deposit_pending",
    accountType: 0,
    accountId: wallet,
    amount,
    channel: "crypto",
    ...(depositId && { depositId }),
  });
  const cleared = (depositId: string): Unsent => ({ kind: "deposit_cleared", depositId });
  const reversed = (depositId: string): Unsent => ({ kind: "deposit_reversed", depositId });
  return { programId, wallet, send, pending, cleared, reversed };
}

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

const illegal = { outcome: "refused", code: "ILLEGAL_TRANSITION" };
const unknown = { outcome: "refused", code: "NOT_FOUND" };

describe("processor events of deposits", () => {
  it("announces and clears a deposit", async () => {
    const { programId, wallet, send, pending, cleared } = await given();
    const depositId = newId("deposit");
    expect(await send(pending(depositId))).toEqual({ outcome: "applied", depositId });
    expect(balancesIn(await expectBooksInOrder(programId), wallet)).toMatchObject({
      availableMinor: 0,
      pendingDepositMinor: 100,
      ledgerMinor: 100,
    });
    expect(await send(cleared(depositId))).toEqual({ outcome: "applied", depositId });
    const items = await expectBooksInOrder(programId);
    expect(balancesIn(items, wallet)).toMatchObject({ availableMinor: 100, ledgerMinor: 100 });
    expect(items.filter(({ sk }) => sk === "OUTBOX").map(({ kind }) => kind)).toEqual([
      "deposit.pending",
      "deposit.cleared",
    ]);
  });

  it("gives a deposit an id where the processor has none", async () => {
    const { send, pending, cleared } = await given();
    const announced = (await send(pending())) as { depositId: string };
    expect(await send(cleared(announced.depositId))).toEqual({
      outcome: "applied",
      depositId: announced.depositId,
    });
  });

  it("takes a deposit that clears without having been pending, on a card, with what is known of it", async () => {
    const { programId, send } = await given();
    const card = await givenCard(programId);
    const details = { amount: 70, channel: "crypto", chain: "tron", asset: "USDT", txHash: "0xabc" } as const;
    await send({ kind: "deposit_cleared", accountType: 1, accountId: card, ...details });
    const items = await expectBooksInOrder(programId);
    expect(balancesIn(items, card)).toMatchObject({ availableMinor: 70, ledgerMinor: 70 });
    expect(items.find(({ kind }) => kind === "deposit.cleared")?.detail).toMatchObject({
      cardId: card,
      amountMinor: 70,
      chain: "tron",
      asset: "USDT",
      txHash: "0xabc",
    });
  });

  it("reverses a pending deposit", async () => {
    const { programId, wallet, send, pending, reversed } = await given();
    const depositId = newId("deposit");
    await send(pending(depositId));
    expect(await send(reversed(depositId))).toEqual({ outcome: "applied", depositId });
    expect(balancesIn(await expectBooksInOrder(programId), wallet).ledgerMinor).toBe(0);
  });

  it.each([
    ["cleared", "cleared"],
    ["cleared", "reversed"],
    ["reversed", "cleared"],
    ["reversed", "reversed"],
  ] as const)("refuses that a deposit once %s is %s, and moves nothing", async (first, second) => {
    const { programId, send, pending, ...to } = await given();
    const depositId = newId("deposit");
    await send(pending(depositId));
    await send(to[first](depositId));
    const before = (await everythingOf(programId)).length;
    expect(await send(to[second](depositId))).toEqual(illegal);
    const after = await expectBooksInOrder(programId);
    expect(after).toHaveLength(before + 1);
    expect(after.filter(({ sk }) => sk === "EVENT")).toHaveLength(3);
  });

  it("refuses a second deposit under the same id", async () => {
    const { programId, wallet, send, pending } = await given();
    const depositId = newId("deposit");
    await send(pending(depositId));
    expect(await send(pending(depositId))).toEqual(illegal);
    expect(balancesIn(await expectBooksInOrder(programId), wallet).ledgerMinor).toBe(100);
  });

  it("refuses a clearing whose amount or account is not the deposit's", async () => {
    const { programId, wallet, send, pending, cleared } = await given();
    const depositId = newId("deposit");
    await send(pending(depositId));
    expect(await send({ ...cleared(depositId), amount: 101 } as Unsent)).toEqual(illegal);
    expect(await send({ ...cleared(depositId), accountId: newId("wallet") } as Unsent)).toEqual(illegal);
    expect(balancesIn(await expectBooksInOrder(programId), wallet).availableMinor).toBe(0);
  });

  it.each([0, 3] as const)("refuses a deposit on a card with status %i", async (status) => {
    const { programId, send } = await given();
    const card = await givenCard(programId, status);
    const event = {
      kind: "deposit_pending",
      accountType: 1,
      accountId: card,
      amount: 1,
      channel: "bank",
    } as const;
    expect(await send(event)).toEqual(illegal);
    expect(balancesIn(await expectBooksInOrder(programId), card).ledgerMinor).toBe(0);
  });

  it.each([1, 2, 4] as const)("takes a deposit on a card with status %i", async (status) => {
    const { programId, send } = await given();
    const card = await givenCard(programId, status);
    await send({ kind: "deposit_pending", accountType: 1, accountId: card, amount: 1, channel: "bank" });
    expect(balancesIn(await expectBooksInOrder(programId), card).pendingDepositMinor).toBe(1);
  });

  it("does not know accounts and deposits of another Program", async () => {
    const ours = await given();
    const theirs = await given();
    const depositId = newId("deposit");
    await theirs.send(theirs.pending(depositId));
    const before = [await everythingOf(ours.programId), await everythingOf(theirs.programId)];
    expect(await ours.send(theirs.pending())).toEqual(unknown);
    expect(await ours.send(ours.cleared(depositId))).toEqual(unknown);
    expect(await ours.send(ours.reversed(depositId))).toEqual(unknown);
    expect([await everythingOf(ours.programId), await everythingOf(theirs.programId)]).toEqual(before);
  });

  it("clears or reverses, whichever is first, never both", async () => {
    for (let round = 0; round < 5; round += 1) {
      const { programId, wallet, send, pending, cleared, reversed } = await given();
      const depositId = newId("deposit");
      await send(pending(depositId));
      const results = await Promise.all(
        Array.from({ length: 10 }, (_, index) => send((index % 2 ? cleared : reversed)(depositId))),
      );
      expect(results.filter((result) => "outcome" in result && result.outcome === "applied")).toHaveLength(1);
      expect(results.filter((result) => "code" in result)).toHaveLength(9);
      const { availableMinor, pendingDepositMinor } = balancesIn(await expectBooksInOrder(programId), wallet);
      expect(pendingDepositMinor).toBe(0);
      expect([0, 100]).toContain(availableMinor);
    }
  });
});

describe("repetitions of a processor event", () => {
  it("are answered the first result and move nothing, even at once and with answers lost", async () => {
    const { programId, wallet, send, pending } = await given();
    using _ = injectFaults(firstCalls(3, "timeout-after-commit"));
    const results = await Promise.all(Array.from({ length: 20 }, () => send(pending(), "evt-1")));
    expect(new Set(results.map((result) => JSON.stringify(result))).size).toBe(1);
    expect(balancesIn(await expectBooksInOrder(programId), wallet).ledgerMinor).toBe(100);
  });

  it("are answered the first result although the deposit has moved on since", async () => {
    const { programId, wallet, send, pending, cleared, reversed } = await given();
    const depositId = newId("deposit");
    const first = await send(pending(depositId), "evt-1");
    await send(cleared(depositId), "evt-2");
    const refused = await send(reversed(depositId), "evt-3");
    const before = await everythingOf(programId);
    expect(await send(pending(depositId), "evt-1")).toEqual(first);
    expect(await send(cleared(depositId), "evt-2")).toEqual({ outcome: "applied", depositId });
    expect(await send(reversed(depositId), "evt-3")).toEqual(refused);
    expect(await everythingOf(programId)).toEqual(before);
    expect(balancesIn(before, wallet).availableMinor).toBe(100);
  });

  it("of a refusal stay refused, even when the state would permit it by now", async () => {
    const { programId, send } = await given();
    const card = await givenCard(programId, 0);
    const event = {
      kind: "deposit_pending",
      accountType: 1,
      accountId: card,
      amount: 5,
      channel: "bank",
    } as const;
    expect(await send(event, "evt-1")).toEqual(illegal);
    const item = (await everythingOf(programId)).find(({ sk }) => sk === "CARD");
    await table.send(
      new PutCommand({ TableName: environment.issuingTable, Item: { ...item, issuerCardStatus: 1 } }),
    );
    expect(await send(event, "evt-1")).toEqual(illegal);
    expect(await send(event, "evt-2")).toMatchObject({ outcome: "applied" });
    expect(balancesIn(await expectBooksInOrder(programId), card).ledgerMinor).toBe(5);
  });

  it("of one that was ahead of its subject are applied once it is there", async () => {
    const { send, pending, cleared } = await given();
    const depositId = newId("deposit");
    expect(await send(cleared(depositId), "evt-1")).toEqual(unknown);
    await send(pending(depositId));
    expect(await send(cleared(depositId), "evt-1")).toEqual({ outcome: "applied", depositId });
  });

  it("are another event in another Program", async () => {
    const ours = await given();
    const theirs = await given();
    await ours.send(ours.pending(), "evt-1");
    await theirs.send(theirs.pending(), "evt-1");
    expect(balancesIn(await everythingOf(theirs.programId), theirs.wallet).ledgerMinor).toBe(100);
  });
});

describe("processor events of compliance", () => {
  it("decide a review once", async () => {
    const { programId, send } = await given();
    const cardholderId = newId("cardholder");
    const details = CardholderCreate.parse({
      firstName: "Ada",
      lastName: "L",
      dateOfBirth: "1990-01-01",
      gender: 1,
      email: "ada@example.com",
      phone: "+15550001111",
      address: { line1: "1", city: "X", postalCode: "1", country: "US" },
    });
    const draft = draftCardholder(programId, cardholderId, details, timestamp());
    await table.send(new PutCommand({ TableName: environment.issuingTable, Item: { ...draft, status: 3 } }));
    const outcome = (status: 1 | 2) => ({ kind: "kyc_outcome", cardholderId, status }) as const;
    expect(await send(outcome(1), "evt-1")).toEqual({ outcome: "applied" });
    expect(await send(outcome(2), "evt-2")).toEqual(illegal);
    expect(await send(outcome(1), "evt-1")).toEqual({ outcome: "applied" });
    expect(await send({ ...outcome(1), cardholderId: newId("cardholder") })).toEqual(unknown);
    expect(await send({ kind: "card_approval", cardId: newId("card"), cardStatus: 1 })).toEqual(unknown);
    const items = await everythingOf(programId);
    expect(items.find(({ sk }) => sk === "CARDHOLDER")?.status).toBe(1);
    expect(items.filter(({ kind }) => kind === "cardholder.status_changed")).toHaveLength(1);
  });
});

describe("the processor's queue", () => {
  it("keeps what is malformed and what is ahead of its subject, and those alone", async () => {
    const { programId, wallet, pending, cleared, reversed } = await given();
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

  it("fails a direct invocation whose event is malformed", async () => {
    await expect(handler({ kind: "deposit_pending" })).rejects.toThrow();
  });
});
