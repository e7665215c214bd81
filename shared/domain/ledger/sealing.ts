import { monotonicMs, pause } from "../../platform/clock.ts";
import { randomInteger } from "../../platform/id.ts";
import { atMost } from "../../platform/table/condition.ts";
import { soon } from "../../platform/table/retry.ts";
import { type Account, accountAt, type StoredAccount } from "./account.ts";
import {
  lostShards,
  nextEpoch,
  type SplitWallet,
  shardIds,
  type WalletShard,
  walletShards,
} from "./shards.ts";

/**
 * Seals all shards and returns them: they stay as they are until the next epoch begins. Returns
 * undefined after another sealing, whose end it awaits.
 */
export async function sealShards(
  programId: string,
  account: Account,
  stored: StoredAccount,
): Promise<SplitWallet | undefined> {
  const epoch = nextEpoch(stored);
  const seal = (id: string, upTo: number) =>
    walletShards
      .at(programId, account.accountId, id)
      .updateNow({ set: { epoch } }, { epoch: atMost(upTo) }, soon);
  const [firstId = "", ...ids] = shardIds(stored);
  const first = await seal(firstId, epoch - 1);
  const others = first.updated ? await Promise.all(ids.map((id) => seal(id, epoch))) : [];
  const outcomes = [first, ...others];
  const shards = outcomes.flatMap((outcome) => (outcome.updated ? [outcome.item] : []));
  if (shards.length > ids.length) {
    return {
      stored,
      shards: new Map([firstId, ...ids].map((id, index) => [id, shards[index] as WalletShard])),
    };
  }
  const current = await awaitEpoch(programId, account, first.updated ? undefined : first.stored?.epoch);
  const isMissing = outcomes.some((outcome) => !outcome.updated && !outcome.stored);
  if (isMissing && current?.epoch === stored.epoch) throw lostShards(account);
  return undefined;
}

/** Sealing takes some ten milliseconds. One that takes longer has been interrupted. */
const sealedMs = 1_000;

/** The Wallet's item when the epoch has begun. Begins it if the process that sealed has not. */
export async function awaitEpoch(
  programId: string,
  account: Account,
  epoch = 0,
): Promise<StoredAccount | undefined> {
  const item = accountAt(programId, account);
  const startedMs = monotonicMs();
  for (;;) {
    const stored = await item.get();
    if (!stored?.shards || (stored.epoch ?? 0) >= epoch) return stored;
    if (monotonicMs() - startedMs < sealedMs) await pause(randomInteger(4, 12));
    else await item.updateNow({ set: { epoch } }, { epoch: stored.epoch });
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
