import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { givenCard, givenProgram, givenWallet } from "../../harness/given-cards.ts";
import { later, useOwnDays } from "../../shared/lists/given-list.ts";
import { deposit, done, ledgerBalance, list, type Row, sum, transfer } from "./wallet-calls.ts";

/** What is done to one of two Wallets and a Card. */
const step = fc.record({
  what: fc.constantFrom("bank", "pending", "direct", "clear", "reverse", "to wallet", "to card", "sweep"),
  wallet: fc.nat(1),
  amount: fc.integer({ min: 1, max: 90 }),
});
const orders: Readonly<Record<string, keyof Row>> = {
  dateCreated: "dateCreated",
  walletTransactionId: "walletTransactionId",
  amount: "amount",
  type: "type",
};
const page = fc.record({
  orderBy: fc.constantFrom(...Object.keys(orders)),
  sort: fc.constantFrom("asc" as const, "desc" as const),
  type: fc.option(fc.constantFrom("deposit", "deposit_reversal", "transfer_in", "transfer_out"), {
    nil: undefined,
  }),
  limit: fc.integer({ min: 1, max: 9 }),
  offset: fc.nat(9),
});

describe("the transactions of Wallets", () => {
  useOwnDays(Date.UTC(2100, 0, 1));

  it("are, after any sequence of steps, what the model says, however they are asked for", {
    timeout: 240_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 14 }),
        fc.array(page, { minLength: 4, maxLength: 4 }),
        async (steps, pages) => {
          const program = await givenProgram();
          const wallets = [await givenWallet(program), await givenWallet(program)] as const;
          const model = new Map<string, (readonly [string, number])[]>(wallets.map((id) => [id, []]));
          const add = (walletId: string, type: string, amount: number) =>
            model.get(walletId)?.push([type, amount]);
          const pending: { depositId: string; walletId: string; amount: number }[] = [];
          let card: { cardId: string; amount: number } | undefined;
          for (const { what, wallet, amount } of steps) {
            later(1_000);
            const [walletId = "", other = ""] = wallet === 0 ? wallets : wallets.toReversed();
            switch (what) {
              case "bank":
                await done(program, "POST /wallets/{walletId}/bank-deposit", { walletId }, { amount });
                add(walletId, "deposit", amount);
                break;
              case "pending":
                pending.push({ depositId: await deposit(program, walletId, amount), walletId, amount });
                add(walletId, "deposit", amount);
                break;
              case "direct":
                await deposit(program, walletId, amount, false);
                add(walletId, "deposit", amount);
                break;
              case "clear":
              case "reverse": {
                const settled = pending.shift();
                if (!settled) break;
                const { depositId } = settled;
                await done(program, `POST /deposits/{depositId}/${what}`, { depositId });
                if (what === "reverse") add(settled.walletId, "deposit_reversal", -settled.amount);
                break;
              }
              case "to wallet": {
                const { transStatus } = await transfer(program, walletId, other, amount);
                if (transStatus !== 1) break;
                add(walletId, "transfer_out", -amount);
                add(other, "transfer_in", amount);
                break;
              }
              case "to card": {
                card ??= { cardId: (await givenCard(program)).cardId, amount: 0 };
                const { transStatus } = await transfer(program, walletId, card.cardId, amount);
                if (transStatus !== 1) break;
                add(walletId, "transfer_out", -amount);
                card.amount += amount;
                break;
              }
              case "sweep":
                if (!card) break;
                await done(
                  program,
                  "POST /cards/{cardId}/close",
                  { cardId: card.cardId },
                  { sweepToWalletId: walletId },
                );
                if (card.amount > 0) add(walletId, "card_sweep", card.amount);
                card = undefined;
            }
          }
          for (const walletId of wallets) {
            const all = (await list(program, walletId, { sort: "asc", limit: "200" })).items;
            expect(all.map(({ type, amount }) => [type, amount])).toEqual(model.get(walletId));
            expect(sum(all)).toBe(await ledgerBalance(program, walletId));
            for (const { orderBy, sort, type, limit, offset } of pages) {
              const found = await list(program, walletId, {
                ...{ orderBy, sort, limit: String(limit), offset: String(offset) },
                ...(type && { type }),
              });
              const matching = all.filter((row) => type === undefined || row.type === type);
              const ordered = ascending(matching, orders[orderBy] as keyof Row);
              const expected = sort === "asc" ? ordered : ordered.toReversed();
              expect(found.total).toBe(matching.length);
              expect(found.items).toEqual(expected.slice(offset, offset + limit));
            }
          }
        },
      ),
      { numRuns: 12 },
    );
  });
});

function ascending(rows: readonly Row[], by: keyof Row): Row[] {
  return rows.toSorted((left, right) => {
    const [one, two] = [left[by] ?? "", right[by] ?? ""];
    if (one !== two) return one < two ? -1 : 1;
    return left.walletTransactionId < right.walletTransactionId ? -1 : 1;
  });
}
