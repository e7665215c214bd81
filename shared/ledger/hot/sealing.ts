import { monotonicMs, pause } from "../../platform/clock.ts";
import { randomInteger } from "../../platform/id.ts";
import { atMost } from "../../platform/table/condition.ts";
import { soon } from "../../platform/table/retry.ts";
import { type Account, accountAt, type StoredAccount } from "../account.ts";
import { lostShards, nextEpoch, type SplitWallet, shardIds, walletShards } from "./shards.ts";

/**
 * Seals these shards, or all, and returns them: they stay as they are until the next epoch begins.
 * Returns undefined if another sealing or a merge came first.
 */
export async function sealShards(
  programId: string,
  account: Account,
  seen: StoredAccount,
  ids: readonly string[] = shardIds(seen),
): Promise<SplitWallet | undefined> {
  const epoch = nextEpoch(seen);
  const item = accountAt(programId, account);
  const isFree = { epoch: seen.epoch, sealing: atMost(epoch - 1) };
  const claim = await item.updateNow({ set: { sealing: epoch } }, isFree, soon);
  if (!claim.updated) {
    await awaitEpoch(programId, account, claim.stored?.sealing);
    return undefined;
  }
  const seal = async (id: string) => {
    const shard = walletShards.at(programId, account.accountId, id);
    return { id, ...(await shard.updateNow({ set: { epoch } }, { epoch: atMost(epoch) }, soon)) };
  };
  const outcomes = await Promise.all(ids.map(seal));
  const shards = new Map(outcomes.flatMap((one) => (one.updated ? [[one.id, one.item] as const] : [])));
  if (shards.size === ids.length) return { stored: claim.item, shards };
  if (outcomes.every((one) => one.updated || one.stored)) return undefined;
  // A merge that is being applied may have deleted the shard already.
  await pause(mergedMs);
  if ((await item.get())?.epoch === seen.epoch) throw lostShards(account);
  return undefined;
}

/** A transaction is visible in all its items after some milliseconds. */
const mergedMs = 50;

/**
 * Sealing takes some ten milliseconds. One that takes longer has been interrupted, or its machine
 * is busy: the next has twice the time, so that it ends before it is overtaken.
 */
const [sealedMs, longestMs] = [1_000, 4_000];

/** The Wallet's item when the epoch has begun. Begins it if the process that sealed has not. */
export async function awaitEpoch(
  programId: string,
  account: Account,
  epoch = 0,
): Promise<StoredAccount | undefined> {
  const item = accountAt(programId, account);
  const startedMs = monotonicMs();
  for (let reads = 1; ; reads += 1) {
    const stored = await item.get();
    if (!stored?.shards || (stored.epoch ?? 0) >= epoch) return stored;
    const { sealingMs = sealedMs } = stored;
    const next = { epoch, sealingMs: Math.min(2 * sealingMs, longestMs) };
    if (monotonicMs() - startedMs >= sealingMs) await item.updateNow({ set: next }, { epoch: stored.epoch });
    else await pause(randomInteger(4, Math.min(50, 8 * 2 ** reads)));
  }
}

/** Ends a sealing that is not needed any more. */
export async function endSealing(
  programId: string,
  account: Account,
  { stored }: SplitWallet,
): Promise<void> {
  const change = { set: { epoch: nextEpoch(stored) } };
  await accountAt(programId, account).updateNow(change, { epoch: stored.epoch }, soon);
}
