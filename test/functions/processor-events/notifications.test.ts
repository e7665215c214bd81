import { describe, expect, it } from "vitest";
import { handler } from "../../../functions/processor-events/handler.ts";
import type { ProcessorEvent } from "../../../shared/contract/processor.ts";
import { parseNotification } from "../../../shared/notifications/stored-notification.ts";
import { newId } from "../../../shared/platform/id.ts";
import { balancesIn, expectBooksInOrder } from "../../harness/books.ts";
import { givenCard, givenProgram } from "../../harness/given-cards.ts";
import { setProgramSettings } from "../../harness/given-network.ts";
import { givenStoredCard, givenStoredProgram } from "../../harness/given-stored.ts";
import { eventsIn, storedEvents, storedItems } from "../../harness/stored.ts";
import type { Unsent } from "./given-processor.ts";

interface Told {
  readonly ids: readonly string[];
  readonly envelope: Record<string, unknown>;
  readonly payload: Record<string, unknown>;
  readonly cdcEvent: string;
}

async function given(amountMinor = 10_000) {
  const programId = await givenStoredProgram();
  const cardId = await givenStoredCard(programId, 1, amountMinor);
  const send = (event: Unsent, eventId = newId("event")) =>
    handler({ programId, eventId, ...event } as ProcessorEvent);
  /** Every notification that was kept, oldest first, all its layers parsed. */
  const told = async (): Promise<Told[]> => {
    const items = await storedItems(programId);
    const ids = eventsIn(items).flatMap(
      ({ detail }) => (detail as { notificationIds?: string[] }).notificationIds ?? [],
    );
    return items
      .flatMap((item) => parseNotification(item) ?? [])
      .toSorted((left, right) => (left.transIdSc < right.transIdSc ? -1 : 1))
      .map(({ body }) => {
        const envelope = JSON.parse(body);
        const { OriginalDataFromSp } = JSON.parse(envelope.SpData);
        return { ids, envelope, ...JSON.parse(OriginalDataFromSp) };
      });
  };
  return { programId, cardId, send, told };
}

const authorization = (cardId: string, amount: number, authorizationId = "A"): Unsent => ({
  kind: "authorization",
  cardId,
  authorizationId,
  amount,
});
const depositOn = (cardId: string): Unsent => ({
  kind: "deposit_pending",
  accountType: 1,
  accountId: cardId,
  amount: 70,
  channel: "bank",
});
const notifiedIds = async (programId: string) =>
  (await storedEvents(programId)).flatMap(
    ({ detail }) => (detail as { notificationIds?: string[] }).notificationIds ?? [],
  );
const redeliveries = async (programId: string) =>
  (await storedEvents(programId))
    .filter(({ kind }) => kind === "notification.resent")
    .map(({ detail }) => detail);
const refund = (cardId: string, amount: number): Unsent => ({ kind: "refund", cardId, amount });

describe("what the card network's events send out", () => {
  it("a HOLD for an approved authorization, named in the event of its transaction", async () => {
    const { cardId, send, told } = await given();
    await send(authorization(cardId, 1_234));
    const [hold, ...more] = await told();
    expect(more).toEqual([]);
    expect(hold?.cdcEvent).toBe("HOLD");
    expect(hold?.envelope).toMatchObject({ CardId: cardId, TransAmount: 1_234, TransResult: 1 });
    expect(hold?.ids).toEqual([hold?.envelope.TransId_SC]);
  });

  it("nothing for a declined authorization, a reversal and an expiry", async () => {
    const { cardId, send, told } = await given(100);
    await send(authorization(cardId, 101));
    await send(authorization(cardId, 50, "B"));
    await send({ kind: "authorization_reversal", cardId, authorizationId: "B" });
    await send(authorization(cardId, 50, "C"));
    await send({ kind: "authorization_expiry", cardId, authorizationId: "C" });
    expect((await told()).map(({ cdcEvent }) => cdcEvent)).toEqual(["HOLD", "HOLD"]);
  });

  it("an ACTTXN of the settled amount, with the ledger balance that it left", async () => {
    const { programId, cardId, send, told } = await given();
    await send(authorization(cardId, 1_000));
    await send({ kind: "clearing", cardId, authorizationId: "A", amount: 1_200, final: true });
    const [, settlement] = await told();
    expect(settlement?.cdcEvent).toBe("ACTTXN");
    expect(settlement?.envelope).toMatchObject({ TransAmount: 1_200, TransResult: 3 });
    expect(settlement?.payload).toMatchObject({ amount: 12, balance: 88, type: "DR" });
    expect(balancesIn(await expectBooksInOrder(programId), cardId).ledgerMinor).toBe(8_800);
  });

  it.each([250, 0])("two ACTTXN of an ATM withdrawal, the child of its fee: %i", async (feeAmount) => {
    const { programId, cardId, send, told } = await given();
    await send({ kind: "atm_withdrawal", cardId, amount: 2_000, feeAmount });
    const all = await told();
    const withdrawal = all.find(({ payload }) => payload.txnGroup === "CASHADVANCE");
    const fee = all.find(({ payload }) => payload.txnGroup === "FEES");
    expect(all).toHaveLength(2);
    const parent = { OriginalTransId_SC: "0", TransAmount: feeAmount, TransType: 15 };
    expect(fee?.envelope).toMatchObject(parent);
    const left = 80 - feeAmount / 100;
    const charged = { amount: feeAmount / 100, srcAmount: 0, balance: left, txncode: "113" };
    expect(fee?.payload).toMatchObject({ ...charged, description: "Foreign Cash Adv Fee" });
    expect(withdrawal?.envelope.OriginalTransId_SC).toBe(fee?.envelope.TransId_SC);
    expect(withdrawal?.payload).toMatchObject({ amount: 20, balance: 80, txncode: "302" });
    expect(fee?.ids).toEqual([withdrawal?.envelope.TransId_SC, fee?.envelope.TransId_SC]);
    const items = await storedItems(programId);
    expect(items.filter(({ sk }) => sk.startsWith("FEE#"))).toHaveLength(feeAmount > 0 ? 1 : 0);
    expect(balancesIn(await expectBooksInOrder(programId), cardId).ledgerMinor).toBe(8_000 - feeAmount);
  });

  it("two ACTTXN of a purchase with a conversion fee, neither with a parent", async () => {
    const { programId, cardId, send, told } = await given();
    await setProgramSettings(programId, { feeSchedule: [{ feeType: 4, amount: 30, basisPoints: 0 }] });
    const billed = { srcAmount: 900, srcCurrency: "978" };
    await send({ kind: "clearing", cardId, amount: 1_000, final: true, ...billed });
    const all = await told();
    expect(all.map(({ payload }) => payload.txnGroup).toSorted()).toEqual(["FEES", "PURCHASE"]);
    expect(all.map(({ envelope }) => envelope.OriginalTransId_SC)).toEqual(["0", "0"]);
    const balances = all.map(({ payload }) => payload.balance as number);
    expect(balances.toSorted((left, right) => left - right)).toEqual([89.7, 90]);
  });

  it("one ACTTXN each for a fee and for giving it back", async () => {
    const { cardId, send, told } = await given();
    const charged = await send({ kind: "fee", cardId, feeType: 5, amount: 300 });
    await send({ kind: "fee_reversal", cardId, feeId: (charged as { feeId: string }).feeId });
    expect((await told()).map(({ payload }) => [payload.type, payload.txnGroup, payload.balance])).toEqual([
      ["DR", "FEES", 97],
      ["CR", "FEES", 100],
    ]);
  });

  it("nothing more for a repetition of the event", async () => {
    const { cardId, send, told } = await given();
    const eventId = newId("event");
    await Promise.all(Array.from({ length: 5 }, () => send(refund(cardId, 5), eventId)));
    expect(await told()).toHaveLength(1);
  });

  it.each([
    ["a card's event", 2, (cardId: string) => refund(cardId, 5)],
    ["a deposit", 3, (cardId: string) => depositOn(cardId)],
  ] as const)("the same notifications again for a repetition of %s", async (_, eventType, toEvent) => {
    const { programId, cardId, send } = await given();
    const eventId = newId("event");
    await send(toEvent(cardId), eventId);
    const notificationIds = await notifiedIds(programId);
    await send(toEvent(cardId), eventId);
    expect(await redeliveries(programId)).toEqual([{ notificationIds, eventType }]);
  });

  it("the issuance fee's notification again for a repetition of the approval", async () => {
    const program = await givenProgram({
      settings: { issuanceApproval: 1, feeSchedule: [{ feeType: 1, amount: 450, basisPoints: 0 }] },
    });
    const { programId } = program;
    const { cardId } = await givenCard(program);
    const approval = { kind: "card_approval", cardId, cardStatus: 1, eventId: "approval" };
    await handler({ programId, ...approval });
    const notificationIds = await notifiedIds(programId);
    await handler({ programId, ...approval });
    expect(await redeliveries(programId)).toEqual([{ notificationIds, eventType: 2 }]);
  });

  it("the balance after each of settlements that race, none twice", async () => {
    const { programId, cardId, send, told } = await given(0);
    await Promise.all(Array.from({ length: 12 }, () => send(refund(cardId, 100))));
    const balances = (await told()).map(({ payload }) => payload.balance as number);
    expect(balances.toSorted((left, right) => left - right)).toEqual(
      Array.from({ length: 12 }, (_, index) => index + 1),
    );
    await expectBooksInOrder(programId);
  });

  it("a deposit on a card, pending and then cleared, which refers to the first", async () => {
    const { cardId, send, told } = await given(0);
    const applied = await send({
      kind: "deposit_pending",
      accountType: 1,
      accountId: cardId,
      amount: 500,
      channel: "crypto",
      asset: "BTC",
    });
    const { depositId } = applied as { depositId: string };
    await send({ kind: "deposit_cleared", depositId });
    const [pending, cleared, ...more] = await told();
    expect(more).toEqual([]);
    expect([pending?.cdcEvent, cleared?.cdcEvent]).toEqual(["DEPOSIT_PENDING", "DEPOSIT_CLEARED"]);
    expect(pending?.envelope.OriginalTransId_SC).toBe("0");
    expect(cleared?.envelope.OriginalTransId_SC).toBe(pending?.envelope.TransId_SC);
    expect(cleared?.payload).toMatchObject({ depositId, amount: 5, asset: "BTC", channel: "crypto" });
  });

  it("the return of a cleared deposit, which refers to its clearing", async () => {
    const { cardId, send, told } = await given(0);
    const details = { accountType: 1, accountId: cardId, amount: 500, channel: "bank" } as const;
    for (const first of ["deposit_pending", "deposit_cleared"] as const) {
      const { depositId } = (await send({ kind: first, ...details })) as { depositId: string };
      if (first === "deposit_pending") await send({ kind: "deposit_cleared", depositId });
      await send({ kind: "deposit_returned", depositId });
      const [cleared, returned] = (await told()).slice(-2);
      expect(returned?.cdcEvent).toBe("DEPOSIT_RETURNED");
      expect(returned?.envelope).toMatchObject({
        OriginalTransId_SC: cleared?.envelope.TransId_SC,
        TransType: 26,
        TransResult: 13,
        TransAmount: 500,
      });
      expect(returned?.payload).toMatchObject({ depositId, amount: 5, channel: "bank" });
    }
  });

  it("nothing for a deposit that is reversed, beside that it was pending", async () => {
    const { cardId, send, told } = await given(0);
    const applied = await send({
      kind: "deposit_pending",
      accountType: 1,
      accountId: cardId,
      amount: 500,
      channel: "crypto",
    });
    await send({ kind: "deposit_reversed", depositId: (applied as { depositId: string }).depositId });
    expect((await told()).map(({ cdcEvent }) => cdcEvent)).toEqual(["DEPOSIT_PENDING"]);
  });
});
