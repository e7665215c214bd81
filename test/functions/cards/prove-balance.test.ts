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
import { overwrite } from "../../harness/given-cards.ts";
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
});
