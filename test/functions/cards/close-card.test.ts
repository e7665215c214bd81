import { describe, expect, test } from "vitest";
import { cards } from "../../../shared/cards/card.ts";
import {
  type GivenProgram,
  givenCard,
  givenProgram,
  givenWallet,
  overwrite,
} from "../../harness/given-cards.ts";
import { storedItems } from "../../harness/stored.ts";
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
});
