import { describe, expect, test } from "vitest";
import { cardholders } from "../../../shared/cardholders/cardholder.ts";
import { cards } from "../../../shared/cards/card.ts";
import { splitWallet } from "../../../shared/ledger/hot/split-wallet.ts";
import { readAccount } from "../../../shared/ledger/hot-wallets.ts";
import { expectBooksInOrder, storedEntries, storedKinds } from "../../harness/books.ts";
import {
  type GivenProgram,
  givenCard,
  givenProgram,
  givenWallet,
  overwrite,
} from "../../harness/given-cards.ts";
import { storedEvents, storedItem, storedItems } from "../../harness/stored.ts";
import { holdCall } from "../../shared/lists/given-list.ts";
import { balance, close, walletBalance } from "./close-calls.ts";

async function givenFundedCard(program: GivenProgram, amount: number): Promise<string> {
  const { cardId } = await givenCard(program);
  const { body } = await deposit(program, cardId, amount);
  expect(body.data.transStatus).toBe(1);
  return cardId;
}

const deposit = (program: GivenProgram, cardId: string, amount: number) =>
  program.call("POST /cards/{cardId}/bank-deposit", { path: { cardId }, body: { amount } });

describe("POST /cards/{cardId}/close", () => {
  test("200: an empty card, which its Cardholder no longer has open", async () => {
    const program = await givenProgram();
    const { cardId, cardholderId } = await givenCard(program);
    const { status, body } = await close(program, cardId);
    expect([status, body.data.issuerCardStatus]).toEqual([200, 3]);
    const viewed = await program.call("GET /cards/{cardId}", { path: { cardId } });
    expect(viewed.body.data).toEqual(body.data);
    const cardholder = await storedItem(cardholders.key(program.programId, cardholderId));
    expect(cardholder?.openCards).toBe(0);
  });

  test("200: a sweep to a Wallet with shards", async () => {
    const program = await givenProgram();
    const { programId } = program;
    const walletId = await givenWallet(program);
    const account = { kind: "wallet", accountId: walletId } as const;
    const body = { amount: 6_500 };
    await program.call("POST /wallets/{walletId}/bank-deposit", { path: { walletId }, body });
    expect((await splitWallet(programId, account, 0))?.shards).toBe(64);
    const cardId = await givenFundedCard(program, 12_345);
    expect((await close(program, cardId, { sweepToWalletId: walletId })).status).toBe(200);
    expect(await readAccount(programId, account)).toMatchObject({ availableMinor: 18_845, shards: 64 });
    await expectBooksInOrder(programId);
  });

  test("200: the sweep moves all the money in the transaction that closes the card", async () => {
    const program = await givenProgram();
    const walletId = await givenWallet(program);
    const cardId = await givenFundedCard(program, 12_345);
    expect((await close(program, cardId, { sweepToWalletId: walletId })).status).toBe(200);
    expect(await balance(program, cardId)).toMatchObject({ availableBalance: 0, ledgerBalance: 0 });
    expect(await walletBalance(program, walletId)).toBe(12_345);
    const items = await storedItems(program.programId);
    const entries = storedEntries(items).filter(({ entry }) => entry.kind === "card_sweep");
    expect(entries).toHaveLength(2);
    expect(entries[0]?.entry.postings).toEqual([
      { account: `${cardId}:available`, amountMinor: -12_345 },
      { account: `${walletId}:available`, amountMinor: 12_345 },
    ]);
    const events = await storedEvents(program.programId);
    expect(events).toContainEqual({
      kind: "card.swept",
      detail: { cardId, walletId, amountMinor: 12_345, currency: 0, notificationIds: [expect.any(String)] },
    });
    expect(events).toContainEqual({
      kind: "card.status_changed",
      detail: { cardId, cardStatus: 1, issuerCardStatus: 3 },
    });
  });

  test("200: an empty card with a Wallet to sweep to moves nothing", async () => {
    const program = await givenProgram();
    const walletId = await givenWallet(program);
    const { cardId } = await givenCard(program);
    expect((await close(program, cardId, { sweepToWalletId: walletId })).status).toBe(200);
    const kinds = storedKinds(await storedItems(program.programId));
    expect(kinds).not.toContain("card_sweep");
    expect(kinds).not.toContain("card.swept");
  });

  test("409 CARD_NOT_EMPTY: money and nowhere to sweep it, and nothing changes", async () => {
    const program = await givenProgram();
    const cardId = await givenFundedCard(program, 1);
    const before = await storedItems(program.programId);
    const { status, body } = await close(program, cardId);
    expect([status, body.code]).toEqual([409, "CARD_NOT_EMPTY"]);
    expect(await storedItems(program.programId)).toEqual(before);
  });

  const notEmpty = {
    "an open hold": { heldMinor: 500, ledgerMinor: 500 },
    "an open hold beside money": { availableMinor: 100, heldMinor: 500, ledgerMinor: 600 },
    "a pending deposit": { pendingDepositMinor: 500, ledgerMinor: 500 },
    "a debt beside an open hold": { availableMinor: -500, heldMinor: 100, ledgerMinor: -400 },
    "a debt beside a pending deposit": { availableMinor: -500, pendingDepositMinor: 100, ledgerMinor: -400 },
  };
  for (const [what, balances] of Object.entries(notEmpty)) {
    test(`409 CARD_NOT_EMPTY: ${what}, even with a Wallet to sweep to`, async () => {
      const program = await givenProgram();
      const walletId = await givenWallet(program);
      const { cardId } = await givenCard(program);
      await overwrite(cards.key(program.programId, cardId), balances);
      const before = await storedItems(program.programId);
      for (const body of [{}, { sweepToWalletId: walletId }]) {
        const answer = await close(program, cardId, body);
        expect([answer.status, answer.body.code]).toEqual([409, "CARD_NOT_EMPTY"]);
      }
      expect(await storedItems(program.programId)).toEqual(before);
    });
  }

  test("404: an unknown Wallet, another Program's, or a card in its place; an unknown card", async () => {
    const [program, other] = [await givenProgram(), await givenProgram()];
    const cardId = await givenFundedCard(program, 100);
    const before = await storedItems(program.programId);
    const strangers = ["wlt_01J9ZC3P2V8Q4N6T0B5W7XKD1M", await givenWallet(other), cardId];
    for (const sweepToWalletId of strangers) {
      const { status, body } = await close(program, cardId, { sweepToWalletId });
      expect([status, body.code]).toEqual([404, "NOT_FOUND"]);
    }
    expect(await storedItems(program.programId)).toEqual(before);
    expect((await close(program, "crd_01J9ZC3P2V8Q4N6T0B5W7XKD1M")).status).toBe(404);
  });

  test("money that arrives while a card is swept is swept too, or rejected", async () => {
    const program = await givenProgram();
    const walletId = await givenWallet(program);
    let expected = 0;
    for (let round = 0; round < 10; round += 1) {
      const cardId = await givenFundedCard(program, 100);
      const [closing, ...deposits] = await Promise.all([
        close(program, cardId, { sweepToWalletId: walletId }),
        deposit(program, cardId, 7),
        deposit(program, cardId, 11),
      ]);
      expect(closing.status).toBe(200);
      const taken = deposits.map(({ status }, index) => (status === 200 ? [7, 11][index] : 0) ?? 0);
      for (const { status } of deposits) expect([200, 409]).toContain(status);
      expected += 100 + taken.reduce((sum, amount) => sum + amount, 0);
      expect(await balance(program, cardId)).toMatchObject({ availableBalance: 0, ledgerBalance: 0 });
    }
    expect(await walletBalance(program, walletId)).toBe(expected);
  });

  test("a card that is put on hold while it is closed is listed once, as Closed", async () => {
    const manual = await givenProgram();
    const { cardId } = await givenCard(manual);
    const held = holdCall((input) => input.includes("#openCards > :"));
    const closing = manual.call("POST /cards/{cardId}/close", { path: { cardId }, body: {} });
    await held.reached;
    const body = { status: 2 };
    const onHold = await manual.call("PUT /cards/{cardId}/status", { path: { cardId }, body });
    expect(onHold.status).toBe(200);
    held.release();
    expect((await closing).status).toBe(200);
    for (const [issuerCardStatus, total] of [
      [1, 0],
      [2, 0],
      [3, 1],
    ] as const) {
      const { body } = await manual.call("GET /cards", {
        query: { issuerCardStatus: String(issuerCardStatus) },
      });
      expect(body).toMatchObject({ total });
    }
  });

  test("of closings that race, one sweeps; the others get 409", async () => {
    const program = await givenProgram();
    const walletId = await givenWallet(program);
    const cardId = await givenFundedCard(program, 100);
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => close(program, cardId, { sweepToWalletId: walletId })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
    expect(await walletBalance(program, walletId)).toBe(100);
  });

  test("a closed card takes neither deposits nor a change of status", async () => {
    const program = await givenProgram();
    const { cardId } = await givenCard(program);
    await close(program, cardId);
    const path = { cardId };
    const answers = [
      await deposit(program, cardId, 100),
      await program.call("PUT /cards/{cardId}/status", { path, body: { status: 1 } }),
      await close(program, cardId),
    ];
    expect(answers.map(({ body }) => body.code)).toEqual(Array(3).fill("ILLEGAL_TRANSITION"));
  });
});
