import { beforeEach, describe, expect, test } from "vitest";
import type { Identity } from "../../../shared/contract/balances.ts";
import { wallets } from "../../../shared/wallets/wallet.ts";
import { overwrite } from "../../harness/given-cards.ts";
import { givenProvableCard, type ProvableCard } from "../../harness/given-provable-card.ts";

let given: ProvableCard;

beforeEach(async () => {
  given = await givenProvableCard();
});

describe("GET /wallets/{walletId}/balance/proof", () => {
  const proveWallet = async (walletId: string) =>
    (await given.program.call("GET /wallets/{walletId}/balance/proof", { path: { walletId } })).body.data;

  test("200: deposits and transfers in both directions, in figures; a Wallet has no statement of transactions", async () => {
    const { walletId = "" } = await given.done("POST /wallets", {}, { name: "One" });
    const { walletId: other = "" } = await given.done("POST /wallets", {}, { name: "Two" });
    const path = { walletId };
    await given.done("POST /wallets/{walletId}/bank-deposit", path, { amount: 5_000 });
    await given.done("POST /wallets/{walletId}/deposits", path, { amount: 800 });
    const transfer = { sourceWalletId: walletId, destinationType: 0, destinationId: other, amount: 1_200 };
    await given.done("POST /wallets/transfer", {}, transfer);
    await given.done(
      "POST /wallets/transfer",
      {},
      { ...transfer, destinationType: 1, destinationId: given.cardId, amount: 300 },
    );
    const proof = await proveWallet(walletId);
    expect(proof).toMatchObject({
      walletId,
      journalEntries: 4,
      availableBalance: 3_500,
      ledgerBalance: 4_300,
      depositsAndCredits: 5_800,
      settledDebits: 1_500,
      openHolds: { count: 0, amount: 0 },
      pendingDeposits: { count: 1, amount: 800 },
      proven: true,
    });
    expect(proof.identities.map(({ name }: Identity) => name)).not.toContain("statement");
    expect(await proveWallet(other)).toMatchObject({ ledgerBalance: 1_200, proven: true });
    expect(await given.broken()).toEqual([]);
    await overwrite(wallets.key(given.program.programId, walletId), { availableMinor: 3_499 });
    expect(await proveWallet(walletId)).toMatchObject({ proven: false });
  });
});
