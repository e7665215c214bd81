import { describe, expect, test } from "vitest";
import { cardholders } from "../../../shared/cardholders/cardholder.ts";
import { storedEntries, storedKinds } from "../../harness/books.ts";
import { type GivenProgram, givenCard, givenProgram, givenWallet } from "../../harness/given-cards.ts";
import { storedItem, storedItems } from "../../harness/stored.ts";
import { holdCall } from "../../shared/lists/given-list.ts";
import { balance, close, walletBalance } from "./close-calls.ts";

describe("POST /cards/{cardId}/close of a card in debt", () => {
  async function givenDebt(program: GivenProgram, amount = 700) {
    const { cardId, cardholderId } = await givenCard(program);
    await program.call("POST /cards/{cardId}/force-post", { path: { cardId }, body: { amount } });
    return { cardId, cardholderId };
  }

  test("200: the Program's reserve pays it, type 64 on a statement that adds up to nothing", async () => {
    const program = await givenProgram();
    const { cardId, cardholderId } = await givenDebt(program);
    const { status, body } = await close(program, cardId);
    expect([status, body.data.issuerCardStatus]).toEqual([200, 3]);
    expect(await balance(program, cardId)).toMatchObject({ availableBalance: 0, ledgerBalance: 0 });
    const list = await program.call("GET /cards/transactions", { query: { cardId, transType: "64" } });
    expect(list.body.items).toMatchObject([{ type: "CR", amount: 700, transStatus: 2 }]);
    const proof = await program.call("GET /cards/{cardId}/balance/proof", { path: { cardId } });
    expect(proof.body.data).toMatchObject({ proven: true, ledgerBalance: 0 });
    const items = await storedItems(program.programId);
    const entries = storedEntries(items).filter(({ entry }) => entry.kind === "debt_settled");
    expect(entries.map(({ entry }) => entry.postings)).toEqual([
      [
        { account: "program_reserve", amountMinor: -700 },
        { account: `${cardId}:available`, amountMinor: 700 },
      ],
    ]);
    const cardholder = await storedItem(cardholders.key(program.programId, cardholderId));
    expect(cardholder?.openCards).toBe(0);
  });

  test("200: a Wallet to sweep to gets and pays nothing; an unknown one is 404", async () => {
    const program = await givenProgram();
    const walletId = await givenWallet(program);
    const { cardId } = await givenDebt(program);
    const unknown = { sweepToWalletId: "wlt_01J9ZC3P2V8Q4N6T0B5W7XKD1M" };
    expect((await close(program, cardId, unknown)).status).toBe(404);
    expect((await close(program, cardId, { sweepToWalletId: walletId })).status).toBe(200);
    expect(await walletBalance(program, walletId)).toBe(0);
    const kinds = storedKinds(await storedItems(program.programId));
    expect(kinds).toContain("debt_settled");
    expect(kinds).not.toContain("card_sweep");
  });

  test("a settlement that comes in between is decided again: never both, and nothing left", async () => {
    const program = await givenProgram();
    const walletId = await givenWallet(program);
    const { cardId } = await givenDebt(program);
    const held = holdCall((input) => input.includes("#openCards > :"));
    const closing = close(program, cardId, { sweepToWalletId: walletId });
    await held.reached;
    await program.call("POST /cards/{cardId}/refunds", { path: { cardId }, body: { amount: 1_000 } });
    held.release();
    expect((await closing).status).toBe(200);
    expect(await balance(program, cardId)).toMatchObject({ availableBalance: 0, ledgerBalance: 0 });
    expect(await walletBalance(program, walletId)).toBe(300);
    const kinds = storedKinds(await storedItems(program.programId));
    expect(kinds).not.toContain("debt_settled");
  });
});
