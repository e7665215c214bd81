import { BatchWriteCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { cards } from "../../../shared/cards/card.ts";
import { journalEntries } from "../../../shared/ledger/journal-entry.ts";
import { timestamp } from "../../../shared/platform/clock.ts";
import { environment } from "../../../shared/platform/environment.ts";
import { newId } from "../../../shared/platform/id.ts";
import { table } from "../../../shared/platform/table/client.ts";
import { withinTime } from "../../../shared/platform/time-budget.ts";
import { transactions } from "../../../shared/transactions/transaction.ts";
import { givenProgram, overwrite } from "../../harness/given-cards.ts";
import { givenProvableCard, type ProvableCard } from "../../harness/given-provable-card.ts";

let given: ProvableCard;

beforeEach(async () => {
  given = await givenProvableCard();
});
afterEach(() => vi.restoreAllMocks());

/** One of the queries of a proof. */
const isOfFees = ({ input }: QueryCommand) => input.ExpressionAttributeValues?.[":first"] === "FEE#";

describe("GET /cards/{cardId}/balance/proof", () => {
  test("200: a card on which nothing ever happened", async () => {
    const proof = await given.prove();
    expect(proof).toMatchObject({
      cardId: given.cardId,
      currency: 0,
      journalEntries: 0,
      availableBalance: 0,
      ledgerBalance: 0,
    });
    expect(proof.proven).toBe(true);
    expect(proof.identities).toHaveLength(12);
  });

  test("200: both sides of each identity, in figures", async () => {
    await given.used();
    const proof = await given.prove();
    expect(proof).toMatchObject({
      journalEntries: 5,
      availableBalance: 7_780,
      ledgerBalance: 12_280,
      depositsAndCredits: 13_000,
      clearedDepositsAndCredits: 10_000,
      settledDebits: 720,
      openHolds: { count: 1, amount: 1_500 },
      pendingDeposits: { count: 1, amount: 3_000 },
      stored: { availableBalance: 7_780, ledgerBalance: 12_280 },
      proven: true,
    });
    const sides = proof.identities.map(({ name, left, right }) => [name, left.amount, right.amount]);
    expect(sides).toEqual([
      ["outstanding", 4_500, 4_500],
      ["ledger", 12_280, 12_280],
      ["available", 7_780, 7_780],
      ["holds", 1_500, 1_500],
      ["pending", 3_000, 3_000],
      ["doubleEntry", 0, 0],
      ["storedAvailable", 7_780, 7_780],
      ["storedLedger", 12_280, 12_280],
      ["storedHeld", 1_500, 1_500],
      ["storedPending", 3_000, 3_000],
      ["entries", 5, 5],
      ["statement", 12_280, 12_280],
    ]);
  });

  test("200: proven after each event of a card's life", async () => {
    const steps: (() => Promise<unknown>)[] = [];
    const step = (run: () => Promise<unknown>) => steps.push(run);
    let authorizationId = "";
    let refund = "";
    let purchase = "";
    let fee = "";
    let dispute = "";
    const authorize = async (amount: number) => {
      ({ authorizationId = "" } = await given.onCard("authorizations", { amount }));
    };
    const onHold = (route: string, body: object) =>
      given.done(`POST /authorizations/{authorizationId}/${route}`, { authorizationId }, body);
    step(() => given.onCard("bank-deposit", { amount: 20_000 }));
    step(() => authorize(1_000));
    step(() => onHold("increment", { amount: 500 }));
    step(() => onHold("clear", { amount: 400, final: false }));
    step(() => onHold("clear", { amount: 1_400 }));
    step(() => authorize(2_000));
    step(() => onHold("reverse", { amount: 700 }));
    step(() => onHold("expire", {}));
    step(() => onHold("clear", { amount: 90 }));
    step(() => given.onCard("authorizations", { amount: 900_000 }));
    step(async () => ({ transId: refund = "" } = await given.onCard("refunds", { amount: 250 })));
    step(() =>
      given.done("POST /cards/{cardId}/refunds/{transId}/reverse", { cardId: given.cardId, transId: refund }),
    );
    step(() => given.onCard("atm-withdrawals", { amount: 3_000, feeAmount: 300 }));
    step(async () => ({ feeId: fee = "" } = await given.onCard("fees", { feeType: 2, amount: 50 })));
    step(() => given.done("POST /cards/{cardId}/fees/{feeId}/reverse", { cardId: given.cardId, feeId: fee }));
    step(async () => ({ transId: purchase = "" } = await given.onCard("force-post", { amount: 30_000 })));
    step(
      async () =>
        ({ chargebackId: dispute = "" } = await given.onCard("chargebacks", {
          transId: purchase,
          amount: 9_000,
        })),
    );
    step(() =>
      given.done("POST /chargebacks/{chargebackId}/outcome", { chargebackId: dispute }, { status: 3 }),
    );
    // Its entry changes no balance of the Card, and is counted all the same.
    step(async () => {
      const { transId = "" } = await given.onCard("force-post", { amount: 20 });
      const { chargebackId = "" } = await given.onCard("chargebacks", { transId, amount: 20 });
      await given.done("POST /chargebacks/{chargebackId}/outcome", { chargebackId }, { status: 2 });
    });
    step(async () => {
      const { depositId = "" } = await given.onCard("deposits", { amount: 6_000 });
      expect(await given.broken()).toEqual([]);
      await given.done("POST /deposits/{depositId}/clear", { depositId });
    });
    step(async () => {
      const { depositId = "" } = await given.onCard("deposits", { amount: 11 });
      await given.done("POST /deposits/{depositId}/reverse", { depositId });
    });
    for (const [index, run] of steps.entries()) {
      await run();
      expect(await given.broken(), `after step ${index}`).toEqual([]);
      const { availableBalance, ledgerBalance } = await given.prove();
      const { body } = await given.program.call("GET /cards/{cardId}/balance", {
        path: { cardId: given.cardId },
      });
      expect(body.data).toMatchObject({ availableBalance, ledgerBalance });
    }
    expect(await given.prove()).toMatchObject({ openHolds: { count: 0 }, pendingDeposits: { count: 0 } });
  });

  test("200: a deposit that went back is neither a credit nor a debit", async () => {
    await given.onCard("bank-deposit", { amount: 500 });
    const { depositId = "" } = await given.onCard("deposits", { amount: 70 });
    await given.done("POST /deposits/{depositId}/reverse", { depositId });
    expect(await given.prove()).toMatchObject({ depositsAndCredits: 500, settledDebits: 0, proven: true });
  });

  test("200: an authorization with increments is one open hold", async () => {
    await given.onCard("bank-deposit", { amount: 5_000 });
    const { authorizationId = "" } = await given.onCard("authorizations", { amount: 100 });
    for (const amount of [20, 30]) {
      await given.done("POST /authorizations/{authorizationId}/increment", { authorizationId }, { amount });
    }
    expect(await given.prove()).toMatchObject({ openHolds: { count: 1, amount: 150 }, proven: true });
    // Even where they are so far apart that they are read one after the other.
    const filler = () => ({
      PutRequest: {
        Item: {
          ...transactions.key(given.program.programId, given.cardId, newId("transaction")),
          memo: "x".repeat(200_000),
        },
      },
    });
    for (let put = 0; put < 3; put += 1) {
      const requests = [filler(), filler(), filler()];
      await table.send(new BatchWriteCommand({ RequestItems: { [environment.issuingTable]: requests } }));
    }
    await given.done("POST /authorizations/{authorizationId}/increment", { authorizationId }, { amount: 7 });
    expect(await given.prove()).toMatchObject({ openHolds: { count: 1, amount: 157 }, proven: true });
  });

  test("200: entries over more pages than one", async () => {
    await given.used();
    const filler = (index: number, id = newId("journalEntry")) => ({
      ...journalEntries.key(given.program.programId, given.cardId, id),
      entryId: id,
      createdAt: timestamp(),
      kind: index % 2 === 0 ? "refund" : "clearing",
      postings: [
        { account: `${given.cardId}:available`, amountMinor: index % 2 === 0 ? 9 : -9 },
        { account: "network_settlement", amountMinor: index % 2 === 0 ? -9 : 9 },
      ],
      relatedId: newId("transaction"),
      memo: "x".repeat(150_000),
    });
    for (let entry = 0; entry < 14; entry += 2) {
      const requests = [entry, entry + 1].map((index) => ({ PutRequest: { Item: filler(index) } }));
      await table.send(new BatchWriteCommand({ RequestItems: { [environment.issuingTable]: requests } }));
    }
    await overwrite(cards.key(given.program.programId, given.cardId), { entries: 19 });
    expect(await given.prove()).toMatchObject({
      journalEntries: 19,
      depositsAndCredits: 13_063,
      proven: true,
    });
  });

  test("200: an account that moves while it is read is read again", async () => {
    await given.used();
    const send = table.send.bind(table) as (command: unknown) => Promise<unknown>;
    let moves = 2;
    vi.spyOn(table, "send").mockImplementation((async (command: unknown) => {
      const answer = await send(command);
      if (command instanceof QueryCommand && isOfFees(command) && moves > 0) {
        moves -= 1;
        await given.onCard("force-post", { amount: 1 });
      }
      return answer;
    }) as never);
    expect(await given.prove()).toMatchObject({ ledgerBalance: 12_278, proven: true });
    expect(moves).toBe(0);
  });

  test("503: an account that changes during every attempt", async () => {
    await given.used();
    const send = table.send.bind(table) as (command: unknown) => Promise<unknown>;
    vi.spyOn(table, "send").mockImplementation((async (command: unknown) => {
      const answer = await send(command);
      if (command instanceof QueryCommand && isOfFees(command))
        await given.onCard("force-post", { amount: 1 });
      return answer;
    }) as never);
    const request = { path: { cardId: given.cardId } };
    const { status } = await withinTime(1_000, () =>
      given.program.call("GET /cards/{cardId}/balance/proof", request),
    );
    expect(status).toBe(503);
  });

  test("404: a card of another Program, and none at all", async () => {
    const stranger = await givenProgram();
    const path = { cardId: given.cardId };
    expect((await stranger.call("GET /cards/{cardId}/balance/proof", { path })).status).toBe(404);
    const unknown = { cardId: "crd_unknown" };
    expect((await given.program.call("GET /cards/{cardId}/balance/proof", { path: unknown })).status).toBe(
      404,
    );
  });
});
