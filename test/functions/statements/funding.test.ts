import { describe, expect, it } from "vitest";
import type { Identity } from "../../../shared/contract/balances.ts";
import { now } from "../../../shared/platform/clock.ts";
import { proveFromJournal } from "../../../shared/proofs/prove-balances.ts";
import { advanceCheckpoint } from "../../../shared/proofs/read-journal.ts";
import { apiEvent, type EventOptions } from "../../harness/api-event.ts";
import { auditBooks } from "../../harness/audit-books.ts";
import { handlerOf, overwrite } from "../../harness/given-cards.ts";
import { replay } from "../../harness/replay.ts";
import { givenFundedCards } from "../processor-events/given-funded-cards.ts";

type Given = Awaited<ReturnType<typeof givenFundedCards>>;

async function ask({ programId }: Given, route: EventOptions["route"], options: object) {
  const { status, body } = await replay(
    handlerOf(route),
    apiEvent({ ...options, route, caller: { programId } }),
  );
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

const period = () => now().toISOString().slice(0, 7);

async function statement(of: Given, account: { cardId: string } | { walletId: string }) {
  const kind = "cardId" in account ? "/cards/{cardId}" : "/wallets/{walletId}";
  const path = { ...account, period: period() };
  return (await ask(of, `GET ${kind}/statements/{period}`, { path })).data;
}

type Line = Readonly<Record<string, unknown>>;
const shown = (lines: readonly Line[]) => lines.map(({ type, amount, balance }) => [type, amount, balance]);

async function proof(of: Given, account: { cardId: string } | { walletId: string }) {
  const kind = "cardId" in account ? "/cards/{cardId}" : "/wallets/{walletId}";
  return (await ask(of, `GET ${kind}/balance/proof`, { path: account })).data;
}

/** Available, held and ledger, as stored: a Card that is given money has no journal of it. */
async function balancesIn(of: Given, id: string) {
  const items = await of.everything();
  const stored = items.find(
    ({ pk, sk }) => String(pk).endsWith(`#${id}`) && /^(CARD|WALLET)$/.test(String(sk)),
  );
  return [stored?.availableMinor, stored?.heldMinor, stored?.ledgerMinor];
}

const failing = ({ identities }: { identities: readonly Identity[] }) =>
  identities.filter(({ holds }) => !holds).map(({ name }) => name);
const found = ({ identities }: { identities: readonly Identity[] }, name: string) =>
  identities.find((one) => one.name === name)?.left.amount;

/** A purchase, a refund of a part, a withdrawal with its fee, a fee, and a hold that stays open. */
async function givenSpent() {
  const of = await givenFundedCards(100_000, 2);
  const [cardId = "", other = ""] = of.cardIds;
  await of.apply({ kind: "authorization", authorizationId: "A", amount: 5_000 });
  const { transId } = await of.apply({ kind: "clearing", authorizationId: "A", amount: 4_000, final: true });
  await of.apply({ kind: "refund", originalTransId: transId, amount: 1_000 });
  await of.apply({ kind: "atm_withdrawal", amount: 2_000, feeAmount: 150 });
  await of.apply({ kind: "fee", feeType: 2, amount: 300 });
  await of.apply({ kind: "authorization", authorizationId: "B", amount: 7_000 });
  await of.send({ kind: "clearing", amount: 900, cardId: other });
  return { ...of, cardId, other };
}

describe("the statement of what a Wallet pays for a Card", () => {
  it("has what a chargeback credits, which the proof finds by its entry", async () => {
    const of = await givenFundedCards();
    const { transId } = await of.apply({ kind: "clearing", amount: 900 });
    await of.apply({ kind: "chargeback", transId } as never);
    expect(await of.balances()).toEqual([10_000, 0, 10_000]);
    expect(shown((await statement(of, { cardId: of.cardId })).lines)).toEqual([
      ["purchase", -900, -900],
      ["funding", 900, 0],
      ["dispute", 900, 900],
      ["funding", -900, 0],
    ]);
    expect(failing(await proof(of, { cardId: of.cardId }))).toEqual([]);
  });

  it("has what the network adds to a hold of the Card's own from before", async () => {
    const of = await givenFundedCards();
    await of.setFunding(undefined);
    await of.setCard({ availableMinor: 500, ledgerMinor: 500 });
    await of.send({ kind: "authorization", authorizationId: "A", amount: 500 });
    await of.setFunding(of.walletId);
    const advice = { kind: "authorization_advice", authorizationId: "A", amount: 700, total: true };
    expect(await of.send(advice as never)).toMatchObject({ outcome: "applied" });
    const shownOf = (id: string) => balancesIn(of, id);
    expect(await shownOf(of.cardId)).toEqual([0, 700, 700]);
    expect(await shownOf(of.walletId)).toEqual([9_800, 0, 9_800]);
  });

  it("records a withdrawal whose cash its clearing has taken already", async () => {
    const of = await givenFundedCards();
    await of.apply({ kind: "clearing", authorizationId: "A", amount: 400, final: true });
    const withdrawal = { kind: "atm_withdrawal", authorizationId: "A", amount: 400, feeAmount: 0 };
    expect(await of.send(withdrawal as never)).toMatchObject({ outcome: "applied" });
    expect(await of.balances()).toEqual([9_600, 0, 9_600]);
  });

  it("has a line of funding beside each posting: the Card's own money stays", async () => {
    const of = await givenSpent();
    const { cardId, walletId } = of;
    const made = await statement(of, { cardId });
    expect(shown(made.lines)).toEqual([
      ["purchase", -4_000, -4_000],
      ["funding", 4_000, 0],
      ["refund", 1_000, 1_000],
      ["funding", -1_000, 0],
      ["cash", -2_000, -2_000],
      ["fee", -150, -2_150],
      ["funding", 2_150, 0],
      ["fee", -300, -300],
      ["funding", 300, 0],
    ]);
    expect([made.openingBalance, made.closingBalance]).toEqual([0, 0]);
    const funding = made.lines.filter(({ type }: Line) => type === "funding");
    expect(funding.every((line: Line) => line.walletId === walletId)).toBe(true);
    expect(new Set(made.lines.map(({ journalEntryId }: Line) => journalEntryId)).size).toBe(4);
  });

  it("has a line for each posting with its Card in the Wallet's", async () => {
    const of = await givenSpent();
    const { cardId, other, walletId } = of;
    const made = await statement(of, { walletId });
    expect(made.lines.map(({ type, amount, cardId: card }: Line) => [type, amount, card])).toEqual([
      ["deposit", 100_000, undefined],
      ["purchase", -4_000, cardId],
      ["refund", 1_000, cardId],
      ["cash", -2_000, cardId],
      ["fee", -150, cardId],
      ["fee", -300, cardId],
      ["purchase", -900, other],
    ]);
    expect(made.closingBalance).toBe(93_650);
    for (const format of ["csv", "camt053", "pdf"])
      for (const path of [{ cardId }, { walletId }]) {
        const kind = "cardId" in path ? "/cards/{cardId}" : "/wallets/{walletId}";
        const options = { path: { ...path, period: period() }, query: { format } };
        await ask(of, `GET ${kind}/statements/{period}`, options);
      }
  });

  it("shows what the Card's own account gives to the Wallet after its funding has begun", async () => {
    const of = await givenFundedCards();
    const { cardId, walletId } = of;
    await of.setFunding(undefined);
    const paid = await of.addCard(walletId);
    await of.setFunding(undefined, paid);
    const own = { path: { cardId }, body: { amount: 1_000 } };
    await ask(of, "POST /cards/{cardId}/bank-deposit", own);
    await of.apply({ kind: "authorization", authorizationId: "A", amount: 1_000 });
    await of.setFunding(walletId);
    await of.apply({ kind: "clearing", authorizationId: "A", amount: 700, final: true });
    const made = await statement(of, { cardId });
    expect(shown(made.lines)).toEqual([
      ["deposit", 1_000, 1_000],
      ["purchase", -700, 300],
      ["funding", -300, 0],
    ]);
    const ofWallet = await statement(of, { walletId });
    expect(shown(ofWallet.lines)).toEqual([
      ["deposit", 10_000, 10_000],
      ["transfer_in", 300, 10_300],
    ]);
    expect([failing(await proof(of, { cardId })), failing(await proof(of, { walletId }))]).toEqual([[], []]);
  });
});

describe("the proof of what a Wallet pays for Cards", () => {
  it("is the audit's too, whose sums are of all entries of the Wallet", async () => {
    const of = await givenSpent();
    const faults = async () =>
      (await auditBooks()).faults.filter(
        (fault) => fault.includes(of.programId) || fault.includes("funding"),
      );
    expect(await faults()).toEqual([]);
    await of.setCard({ fundedHeldMinor: 1 });
    expect(await faults()).toEqual([expect.stringContaining(`${of.cardId}: fundingHolds`)]);
    await of.setCard({ fundedHeldMinor: 7_000 });
  });

  it("takes all holds and postings of its Cards, also from a checkpoint", async () => {
    const of = await givenSpent();
    const { programId, cardId, other, walletId } = of;
    const wallet = await proof(of, { walletId });
    expect([failing(wallet), wallet.openHolds]).toEqual([[], { count: 1, amount: 7_000 }]);
    const card = await proof(of, { cardId });
    expect([failing(card), card.openHolds]).toEqual([[], { count: 0, amount: 0 }]);
    expect([found(card, "funding"), found(card, "fundingHolds")]).toEqual([-5_450, 7_000]);
    expect(found(await proof(of, { cardId: other }), "funding")).toBe(-900);
    await advanceCheckpoint(programId, { kind: "wallet", accountId: walletId });
    await of.apply({ kind: "authorization_reversal", authorizationId: "B" });
    expect(failing(await proveFromJournal(programId, { kind: "wallet", accountId: walletId }))).toEqual([]);
    expect(found(await proof(of, { cardId }), "fundingHolds")).toBe(0);
  });

  it("fails if the Wallet's journal, or what the Card holds, is not what the records say", async () => {
    const of = await givenSpent();
    const { programId, cardId, walletId } = of;
    const items = await of.everything();
    const record = items.find(({ fundingEntryId }) => fundingEntryId !== undefined);
    if (!record) throw new Error("No record names its entry.");
    await of.setCard({ fundedHeldMinor: 1 });
    expect(failing(await proof(of, { cardId }))).toEqual(["fundingHolds"]);
    await of.setCard({ fundedHeldMinor: 7_000 });
    const entryKey = { pk: `${programId}#${walletId}`, sk: `ENTRY#${String(record.fundingEntryId)}` };
    const entry = items.find(({ pk, sk }) => pk === entryKey.pk && sk === entryKey.sk);
    const postings = entry?.postings as { account: string; amountMinor: number }[];
    await overwrite(entryKey, {
      postings: postings.map((posting) => ({ ...posting, amountMinor: posting.amountMinor * 2 })),
    });
    expect(failing(await proof(of, { cardId }))).toEqual(["funding"]);
  });
});

describe("GET /wallets/{walletId}/transactions", () => {
  it("adds up to the ledger balance, and is filtered by Card", async () => {
    const of = await givenSpent();
    const { walletId, cardId } = of;
    const list = async (query: object) =>
      (await ask(of, "GET /wallets/{walletId}/transactions", { path: { walletId }, query })).items as Line[];
    const all = await list({ orderBy: "dateCreated", sort: "asc" });
    expect(all.reduce((sum, { amount }) => sum + Number(amount), 0)).toBe(93_650);
    const ofCard = await list({ cardId, orderBy: "dateCreated", sort: "asc" });
    expect(ofCard.map(({ type, amount }) => [type, amount])).toEqual([
      ["purchase", -4_000],
      ["refund", 1_000],
      ["cash", -2_150],
      ["fee", -300],
    ]);
    expect(await list({ cardId, type: "refund" })).toHaveLength(1);
  });
});
