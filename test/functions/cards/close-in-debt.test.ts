import { describe, expect, test } from "vitest";
import { storedKinds } from "../../harness/books.ts";
import { type GivenProgram, givenCard, givenProgram, givenWallet } from "../../harness/given-cards.ts";
import { storedItems } from "../../harness/stored.ts";
import { holdCall } from "../../shared/lists/given-list.ts";
import { balance, close, walletBalance } from "./close-calls.ts";

describe("POST /cards/{cardId}/close of a card in debt", () => {
  async function givenDebt(program: GivenProgram, amount = 700) {
    const { cardId, cardholderId } = await givenCard(program);
    await program.call("POST /cards/{cardId}/force-post", { path: { cardId }, body: { amount } });
    return { cardId, cardholderId };
  }

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
