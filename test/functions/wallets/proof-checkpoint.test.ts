import { afterEach, expect, test, vi } from "vitest";
import { handler as indexer } from "../../../functions/list-indexer/handler.ts";
import { checkpoints } from "../../../shared/proofs/checkpoint.ts";
import { advanceCheckpoint } from "../../../shared/proofs/read-journal.ts";
import { givenHistory } from "../../harness/given-journal.ts";
import { storedItems } from "../../harness/stored.ts";
import { eventOf } from "../../shared/lists/given-list.ts";
import { givenHotWallet } from "./given-hot-wallet.ts";

afterEach(() => void vi.useRealTimers());

const later = (ms: number) => vi.setSystemTime(Date.now() + ms);

test("the proof of a Wallet that is split into shards continues a checkpoint, and so does the merged one's", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2044, 0, 1) });
  const { programId, walletId, account, call, transfer, shards } = await givenHotWallet(6_500);
  await givenHistory({ programId, account, count: 300, since: new Date() });
  later(120_000);
  await advanceCheckpoint(programId, account);
  expect(await checkpoints.at(programId, walletId).get()).toMatchObject({ journalEntries: 301 });
  // The first takes more than the Wallet's own item has, and learns of the shards.
  for (const amount of [1_350, 10]) expect((await transfer(amount)).body.data.transStatus).toBe(1);
  expect((await shards()).reduce((sum, { entries = 0 }) => sum + Number(entries), 0)).toBeGreaterThan(0);
  // So much takes from many shards, or merges them.
  expect((await transfer(6_000)).body.data.transStatus).toBe(1);
  const prove = async () => (await call("GET /wallets/{walletId}/balance/proof")).body.data;
  const expected = { proven: true, journalEntries: 304, checkpoint: { journalEntries: 301 } };
  expect(await prove()).toMatchObject(expected);
  // All that it has: its shards are merged.
  expect((await transfer(9_000, { allowPartial: true })).body.data.transStatus).toBe(3);
  expect(await shards()).toEqual([]);
  expect(await prove()).toMatchObject({ ...expected, journalEntries: 305, availableBalance: 0 });
});

test("the indexer advances the checkpoint of a Wallet as its changes arrive", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2044, 0, 2) });
  const { programId, walletId, account } = await givenHotWallet(0);
  await givenHistory({ programId, account, count: 1_000, since: new Date() });
  later(120_000);
  const changes = (await storedItems(programId)).filter(({ sk }) => sk.startsWith("ENTRY#"));
  expect(changes).toHaveLength(1_000);
  await indexer(eventOf(changes));
  expect(await checkpoints.at(programId, walletId).get()).toMatchObject({ journalEntries: 1_000 });
});
