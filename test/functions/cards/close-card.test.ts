import { describe, expect, test } from "vitest";
import { type GivenProgram, givenCard, givenProgram, givenWallet } from "../../harness/given-cards.ts";

const deposit = (program: GivenProgram, cardId: string, amount: number) =>
  program.call("POST /cards/{cardId}/bank-deposit", { path: { cardId }, body: { amount } });

describe("POST /cards/{cardId}/close", () => {
  test("money that arrives while a card is swept is swept too, or rejected", async () => {
    const program = await givenProgram();
    const walletId = await givenWallet(program);
    let expected = 0;
    for (let round = 0; round < 10; round += 1) {
      const { cardId } = await givenCard(program);
      await deposit(program, cardId, 100);
      const [closing, ...deposits] = await Promise.all([
        program.call("POST /cards/{cardId}/close", { path: { cardId }, body: { sweepToWalletId: walletId } }),
        deposit(program, cardId, 7),
        deposit(program, cardId, 11),
      ]);
      expect(closing.status).toBe(200);
      const taken = deposits.map(({ status }, index) => (status === 200 ? [7, 11][index] : 0) ?? 0);
      for (const { status } of deposits) expect([200, 409]).toContain(status);
      expected += 100 + taken.reduce((sum, amount) => sum + amount, 0);
      const { data } = (await program.call("GET /cards/{cardId}/balance", { path: { cardId } })).body;
      expect(data).toMatchObject({ availableBalance: 0, ledgerBalance: 0 });
    }
    const { data } = (await program.call("GET /wallets/{walletId}", { path: { walletId } })).body;
    expect(data.availableBalance).toBe(expected);
  });
});
