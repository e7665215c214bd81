import type { SQSEvent } from "aws-lambda";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { handler } from "../../../functions/processor-events/handler.ts";
import { SuspenseStatus } from "../../../shared/contract/enums.ts";
import { deposits } from "../../../shared/deposits/deposit.ts";
import { suspenseItems } from "../../../shared/deposits/suspense.ts";
import { newId } from "../../../shared/platform/id.ts";
import { operate } from "../../harness/administration.ts";
import { balancesIn, expectBooksInOrder } from "../../harness/books.ts";
import { interrupt } from "../../harness/faults.ts";
import { setAttributes } from "../../harness/given-network.ts";
import { givenStoredCard, givenStoredWallet } from "../../harness/given-stored.ts";
import { storedEvents, storedItems } from "../../harness/stored.ts";
import { givenProcessor, illegal, type Unsent, unknown } from "./given-processor.ts";

const hour = 3_600_000;

function onCard(cardId: string, kind: "deposit_pending" | "deposit_cleared", depositId?: string): Unsent {
  return {
    kind,
    accountType: 1,
    accountId: cardId,
    amount: 100,
    channel: "bank",
    ...(depositId && { depositId }),
  };
}

/** The event as the queue hands it over, first received so long ago. */
function queued(event: object, waitedMs: number): SQSEvent {
  const firstReceivedAt = String(Date.now() - waitedMs);
  const attributes = {
    ApproximateReceiveCount: "2",
    SentTimestamp: firstReceivedAt,
    SenderId: "processor",
    ApproximateFirstReceiveTimestamp: firstReceivedAt,
  };
  const record = {
    messageId: "message",
    receiptHandle: "handle",
    body: JSON.stringify(event),
    attributes,
    messageAttributes: {},
    md5OfBody: "",
    eventSource: "aws:sqs",
    eventSourceARN: "arn:aws:sqs:eu-west-1:000000000000:processor-events",
    awsRegion: "eu-west-1",
  };
  return { Records: [record] };
}

const done = { batchItemFailures: [] };
const kept = { batchItemFailures: [{ itemIdentifier: "message" }] };

describe("a deposit in another currency than its account's", () => {
  it("goes to suspense, keeps its currency and reference, and can only be returned", async () => {
    const { programId, wallet, send } = await givenProcessor();
    const depositId = newId("deposit");
    const details = { accountType: 0, accountId: wallet, amount: 100, channel: "bank" } as const;
    const given = { ...details, reference: "INVOICE 12", currency: "JPY" };
    await send({ kind: "deposit_cleared", depositId, ...given });
    const item = await suspenseItems.at(programId, depositId).get();
    expect(item).toMatchObject({ reason: "CURRENCY_MISMATCH", receivedCurrency: "JPY", amountMinor: 100 });
    const { items } = await operate("list-suspense", { programId });
    expect(items).toMatchObject([{ currency: "JPY", reference: "INVOICE 12", amount: 100 }]);
    const suspenseId = depositId.replace("dep_", "sus_");
    await expect(operate("assign-suspense", { programId, suspenseId, walletId: wallet })).rejects.toThrow(
      "it can only be returned",
    );
    await operate("return-suspense", { programId, suspenseId });
    expect(balancesIn(await expectBooksInOrder(programId), wallet).ledgerMinor).toBe(0);
  });

  it("is credited in the account's own, with its reference", async () => {
    const { programId, wallet, send } = await givenProcessor();
    const depositId = newId("deposit");
    const details = { accountType: 0, accountId: wallet, amount: 100, channel: "bank" } as const;
    await send({ kind: "deposit_cleared", depositId, ...details, reference: wallet, currency: "USD" });
    expect((await deposits.at(programId, depositId).get())?.reference).toBe(wallet);
    expect(balancesIn(await expectBooksInOrder(programId), wallet).availableMinor).toBe(100);
  });
});

describe("a deposit for a Card that cannot take it", () => {
  it.each([
    [3, "CARD_CLOSED"],
    [0, "CARD_NOT_APPROVED"],
  ] as const)("goes to suspense at once where its status is %i", async (status, reason) => {
    const { programId, send } = await givenProcessor();
    const card = await givenStoredCard(programId, status);
    const depositId = newId("deposit");
    const result = await send(onCard(card, "deposit_cleared", depositId), "first");
    expect(result).toEqual({
      outcome: "applied",
      depositId,
      suspenseId: depositId.replace("dep_", "sus_"),
    });
    expect(await suspenseItems.at(programId, depositId).get()).toMatchObject({
      amountMinor: 100,
      channel: "bank",
      reason,
      status: SuspenseStatus.cleared,
    });
    const booked = await expectBooksInOrder(programId);
    expect(balancesIn(booked, card).ledgerMinor).toBe(0);
    expect(await send(onCard(card, "deposit_cleared", depositId), "first")).toEqual(result);
    expect(await storedItems(programId)).toEqual(booked);
    expect(await send(onCard(card, "deposit_cleared", depositId))).toEqual(illegal);
    const open = await givenStoredCard(programId);
    for (const kind of ["deposit_pending", "deposit_cleared"] as const)
      expect(await send({ ...onCard(open, kind, depositId) } as Unsent)).toEqual(illegal);
    await expectBooksInOrder(programId);
  });

  it("goes to suspense where the Card was closed between its reading and the commit", async () => {
    const { programId, send } = await givenProcessor();
    const card = await givenStoredCard(programId);
    using _ = interrupt(
      (command) => command === "TransactWriteItems",
      () => setAttributes(programId, card, { issuerCardStatus: 3 }),
    );
    expect(await send(onCard(card, "deposit_pending"))).toMatchObject({ outcome: "applied" });
    const items = await expectBooksInOrder(programId);
    expect(items.some(({ kind }) => kind === "deposit_suspended")).toBe(true);
  });

  it.each([
    [["deposit_cleared"], SuspenseStatus.cleared, ["suspense.cleared"]],
    [["deposit_reversed"], SuspenseStatus.reversed, ["suspense.reversed"]],
    [["deposit_returned"], SuspenseStatus.reversed, ["suspense.reversed"]],
    [
      ["deposit_cleared", "deposit_returned"],
      SuspenseStatus.returned,
      ["suspense.cleared", "suspense.returned"],
    ],
  ] as const)(
    "goes on in suspense by its id, each step with its event: %j",
    async (kinds, status, events) => {
      const { programId, send } = await givenProcessor();
      const card = await givenStoredCard(programId, 3);
      const depositId = newId("deposit");
      await send(onCard(card, "deposit_pending", depositId));
      const suspenseId = depositId.replace("dep_", "sus_");
      for (const kind of kinds)
        expect(await send({ kind, depositId })).toEqual({ outcome: "applied", depositId, suspenseId });
      expect((await suspenseItems.at(programId, depositId).get())?.status).toBe(status);
      const detail = { suspenseId, depositId, accountId: card, amountMinor: 100, currency: 0 };
      const told = { ...detail, channel: "bank", reason: "CARD_CLOSED" };
      expect(await storedEvents(programId)).toEqual(
        ["deposit.suspended", ...events].map((kind) => ({ kind, detail: told })),
      );
      await expectBooksInOrder(programId);
      expect(await send({ kind: kinds.at(-1) as "deposit_cleared", depositId })).toEqual(illegal);
      await expectBooksInOrder(programId);
    },
  );

  it("is not cleared by an event that contradicts it", async () => {
    const { programId, send } = await givenProcessor();
    const card = await givenStoredCard(programId, 3);
    const depositId = newId("deposit");
    await send(onCard(card, "deposit_pending", depositId));
    expect(await send({ kind: "deposit_cleared", depositId, amount: 99 } as Unsent)).toEqual(illegal);
    expect((await suspenseItems.at(programId, depositId).get())?.status).toBe(SuspenseStatus.pending);
  });
});

describe("a deposit for an account that does not exist", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2029, 0, 1) }));
  afterEach(() => void vi.useRealTimers());

  it.each([0, 1] as const)(
    "is retried for an hour and then goes to suspense (type %i)",
    async (accountType) => {
      const { programId } = await givenProcessor();
      const depositId = newId("deposit");
      const accountId = newId(accountType === 1 ? "card" : "wallet");
      const details = { accountType, accountId, amount: 70, channel: "bank", depositId };
      const event = { programId, eventId: "one", kind: "deposit_pending", ...details };
      const before = await storedItems(programId);
      expect(await handler(queued(event, hour - 1))).toEqual(kept);
      expect(await storedItems(programId)).toEqual(before);
      expect(await handler(queued(event, hour))).toEqual(done);
      const booked = await expectBooksInOrder(programId);
      expect(await suspenseItems.at(programId, depositId).get()).toMatchObject({
        reason: "ACCOUNT_UNKNOWN",
        amountMinor: 70,
      });
      expect(await handler(queued(event, hour))).toEqual(done);
      expect(await storedItems(programId)).toEqual(booked);
      const cleared = { programId, eventId: "two", kind: "deposit_cleared", depositId };
      expect(await handler(queued(cleared, 0))).toEqual(done);
      expect((await suspenseItems.at(programId, depositId).get())?.status).toBe(SuspenseStatus.cleared);
    },
  );

  it("lands on the account where that comes into being meanwhile", async () => {
    const { programId, pending } = await givenProcessor();
    const walletId = await givenStoredWallet(programId);
    const event = { ...pending(newId("deposit"), 70), programId, eventId: "one", accountId: walletId };
    expect(await handler(queued(event, 2 * hour))).toEqual(done);
    expect(balancesIn(await expectBooksInOrder(programId), walletId).pendingDepositMinor).toBe(70);
  });

  it("stays in the queue where its Program does not exist, or nothing says what it is for", async () => {
    const { programId, pending } = await givenProcessor();
    const nowhere = { ...pending(), programId: newId("program"), eventId: "one" };
    expect(await handler(queued(nowhere, 2 * hour))).toEqual(kept);
    const nothing = { programId, eventId: "two", kind: "deposit_cleared", depositId: newId("deposit") };
    expect(await handler(queued(nothing, 2 * hour))).toEqual(kept);
    await expectBooksInOrder(programId);
  });

  it("is NOT_FOUND by direct invocation, which knows of no hour", async () => {
    const { send, pending } = await givenProcessor();
    expect(await send({ ...pending(), accountId: newId("wallet") } as Unsent)).toEqual(unknown);
  });
});
