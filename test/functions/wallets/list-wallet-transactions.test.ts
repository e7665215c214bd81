import { describe, expect, it } from "vitest";
import { givenCard, givenProgram, givenWallet } from "../../harness/given-cards.ts";
import type { Query, Row } from "../../harness/list-pages.ts";
import { measure } from "../../harness/measure.ts";

const program = await givenProgram();
const [walletId, other] = [await givenWallet(program), await givenWallet(program)];
const { cardId } = await givenCard(program);

const done = async (route: `POST /${string}`, path: Record<string, string>, body: object = {}) => {
  const answer = await program.call(route, { path, body });
  if (answer.status !== 200) throw new Error(`${route}: ${JSON.stringify(answer.body)}`);
  return answer.body.data as Record<string, string>;
};
const pageOf = async (id: string, query: Query = {}) =>
  (await program.call("GET /wallets/{walletId}/transactions", { path: { walletId: id }, query })).body as {
    items: Row[];
    total: number;
  };
const deposit = async (amount: number, settle?: "clear" | "reverse") => {
  const { depositId = "" } = await done("POST /wallets/{walletId}/deposits", { walletId }, { amount });
  if (settle) await done(`POST /deposits/{depositId}/${settle}`, { depositId });
  return depositId;
};
const transfer = (sourceWalletId: string, destinationId: string, amount: number, memo?: string) => {
  const destinationType = destinationId === cardId ? 1 : 0;
  return done("POST /wallets/transfer", {}, { sourceWalletId, destinationType, destinationId, amount, memo });
};
const bank = { amount: 900, reference: "INV-8" };
const { depositId: banked } = await done("POST /wallets/{walletId}/bank-deposit", { walletId }, bank);
const [cleared, reversed, pending] = [
  await deposit(50, "clear"),
  await deposit(7, "reverse"),
  await deposit(11),
];
const { transferId: out } = await transfer(walletId, other, 100, "Rent");
const { transferId: back } = await transfer(other, walletId, 40);
const { transferId: load } = await transfer(walletId, cardId, 300);
await transfer(walletId, cardId, 100_000);
await done("POST /cards/{cardId}/close", { cardId }, { sweepToWalletId: walletId });

const rows: Row[] = (await pageOf(walletId, { sort: "asc" })).items;
const brief = (of: readonly Row[]) => of.map(({ type, amount, relatedId }) => [type, amount, relatedId]);

describe("GET /wallets/{walletId}/transactions", () => {
  it("has one row for each change of the ledger balance, and the rows add up to it", async () => {
    expect(brief(rows)).toEqual([
      ...[
        ["deposit", 900, banked],
        ["deposit", 50, cleared],
        ["deposit", 7, reversed],
      ],
      ...[
        ["deposit_reversal", -7, reversed],
        ["deposit", 11, pending],
        ["transfer_out", -100, out],
      ],
      ...[
        ["transfer_in", 40, back],
        ["transfer_out", -300, load],
        ["card_sweep", 300, cardId],
      ],
    ]);
    expect(rows.map(({ description }) => description).filter(Boolean)).toEqual(["INV-8", "Rent"]);
    const { body } = await program.call("GET /wallets/{walletId}", { path: { walletId } });
    expect(rows.reduce((total, { amount }) => total + amount, 0)).toBe(body.data.ledgerBalance);
    const others = (await pageOf(other, { sort: "asc" })).items;
    expect(brief(others)).toEqual([
      ["transfer_in", 100, out],
      ["transfer_out", -40, back],
    ]);
    expect(new Set([...rows, ...others].map((row) => row.walletTransactionId)).size).toBe(11);
  });

  it("takes one round trip for a Wallet of few transactions", async () => {
    expect((await measure(() => pageOf(walletId))).cost.roundTrips).toBe(1);
  });
});
