import { expect, test } from "vitest";
import { walletShards } from "../../shared/ledger/hot/shards.ts";
import { givenHotWallet } from "../functions/wallets/given-hot-wallet.ts";
import { findFaults } from "../harness/audit-books.ts";
import { overwrite } from "../harness/given-cards.ts";
import { storedItems } from "../harness/stored.ts";

test("the audit adds up the shards of a hot Wallet, and finds a cent too much in one", async () => {
  const { programId, walletId, transfer, shards } = await givenHotWallet(6_500);
  await transfer(150);
  expect(await shards()).toHaveLength(64);
  expect(await findFaults()).toEqual([]);
  const { key } = walletShards.at(programId, walletId, "7");
  const before = (await walletShards.at(programId, walletId, "7").get())?.availableMinor ?? 0;
  await overwrite(key, { availableMinor: before + 1 });
  const found = await findFaults();
  expect(found).not.toEqual([]);
  expect(found.every((fault) => fault.includes(walletId))).toBe(true);
});

test("the audit names a malformed journal entry, and goes on to the other faults", async () => {
  const { programId, walletId, shards } = await givenHotWallet(6_400);
  expect(await shards()).toHaveLength(64);
  const entry = (await storedItems(programId)).find(({ sk }) => String(sk).startsWith("ENTRY#"));
  const { pk = "", sk = "" } = entry ?? {};
  await overwrite({ pk: String(pk), sk: String(sk) }, { kind: "gift" });
  const found = await findFaults();
  expect(found).toContain(`${pk} ${sk} is not a journal entry.`);
  expect(found.some((fault) => !fault.includes("not a journal entry") && fault.includes(walletId))).toBe(
    true,
  );
});
