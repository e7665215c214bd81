import { describe, expect, it } from "vitest";
import { givenCard, givenProgram, givenWallet } from "../../harness/given-cards.ts";
import { measure } from "../../harness/measure.ts";
import { deposit, done, ledgerBalance, list, type Row, sum, transfer } from "./wallet-calls.ts";

const brief = (rows: readonly Row[]) => rows.map(({ type, amount, relatedId }) => [type, amount, relatedId]);

describe("GET /wallets/{walletId}/transactions", () => {
  it("has one row for each change of the ledger balance, and the rows add up to it", async () => {
    const program = await givenProgram();
    const [walletId, other] = [await givenWallet(program), await givenWallet(program)];
    const bank = await done(
      program,
      "POST /wallets/{walletId}/bank-deposit",
      { walletId },
      { amount: 900, reference: "INV-8" },
    );
    const cleared = await deposit(program, walletId, 50);
    await done(program, "POST /deposits/{depositId}/clear", { depositId: cleared });
    const reversed = await deposit(program, walletId, 7);
    await done(program, "POST /deposits/{depositId}/reverse", { depositId: reversed });
    const pending = await deposit(program, walletId, 11);
    const direct = await deposit(program, walletId, 13, false);
    const out = await transfer(program, walletId, other, 100, "Rent");
    const back = await transfer(program, other, walletId, 40);
    const { cardId } = await givenCard(program);
    const load = await transfer(program, walletId, cardId, 300);
    await transfer(program, walletId, cardId, 100_000);
    await done(program, "POST /cards/{cardId}/close", { cardId }, { sweepToWalletId: walletId });

    const { items, total } = await list(program, walletId, { sort: "asc" });
    expect(brief(items)).toEqual([
      ["deposit", 900, bank.depositId],
      ["deposit", 50, cleared],
      ["deposit", 7, reversed],
      ["deposit_reversal", -7, reversed],
      ["deposit", 11, pending],
      ["deposit", 13, direct],
      ["transfer_out", -100, out.transferId],
      ["transfer_in", 40, back.transferId],
      ["transfer_out", -300, load.transferId],
      ["card_sweep", 300, cardId],
    ]);
    expect(items.map(({ description }) => description).filter(Boolean)).toEqual(["INV-8", "Rent"]);
    expect(total).toBe(10);
    expect(sum(items)).toBe(await ledgerBalance(program, walletId));

    const otherRows = (await list(program, other, { sort: "asc" })).items;
    expect(brief(otherRows)).toEqual([
      ["transfer_in", 100, out.transferId],
      ["transfer_out", -40, back.transferId],
    ]);
    const ids = [...items, ...otherRows].map(({ walletTransactionId }) => walletTransactionId);
    expect(new Set(ids).size).toBe(12);
  });

  it("takes one round trip for a Wallet of few transactions", async () => {
    const program = await givenProgram();
    const walletId = await givenWallet(program);
    await deposit(program, walletId, 50);
    const { cost } = await measure(() => list(program, walletId));
    expect(cost.roundTrips).toBe(1);
  });

  it("filters by type", async () => {
    const program = await givenProgram();
    const walletId = await givenWallet(program);
    await deposit(program, walletId, 50);
    await done(program, "POST /deposits/{depositId}/reverse", {
      depositId: await deposit(program, walletId, 7),
    });
    const { items, total } = await list(program, walletId, { type: "deposit_reversal" });
    expect([total, sum(items)]).toEqual([1, -7]);
    expect((await list(program, walletId, { type: "card_sweep" })).total).toBe(0);
  });

  it.each<Record<string, string>>([
    { limit: "0" },
    { offset: "-1" },
    { type: "fee" },
    { orderBy: "relatedId" },
    { before: "soon" },
  ])("refuses %j with 422", async (query) => {
    const program = await givenProgram();
    expect(await list(program, await givenWallet(program), query)).toMatchObject({
      status: 422,
      code: "VALIDATION_FAILED",
    });
  });

  it("does not know another Program's Wallet", async () => {
    const [program, other] = [await givenProgram(), await givenProgram()];
    expect(await list(other, await givenWallet(program))).toMatchObject({ status: 404, code: "NOT_FOUND" });
  });
});
