import * as z from "zod";
import { readBatch } from "../../platform/table/batch.ts";
import { defineEntity } from "../../platform/table/entity.ts";
import { readTogether } from "../../platform/table/transact.ts";
import {
  type Account,
  type AccountBalances,
  type AccountChange,
  accountAt,
  type StoredAccount,
} from "../account.ts";

/**
 * A part of a hot Wallet's available balance. Transfers that take from different shards do not
 * conflict. While a Wallet has shards, none of its parts is below zero.
 */
const WalletShard = z.object({
  availableMinor: z.int(),
  /** What Cards hold by it: below zero where more was released here than was placed. */
  heldMinor: z.int().optional(),
  /** Above the Wallet's, the shard is sealed: it stays as it is until that epoch begins. */
  epoch: z.int(),
  /** The journal entries counted here and not on the Wallet's item. */
  entries: z.int().optional(),
});
type WalletShard = z.output<typeof WalletShard>;

export const walletShards = defineEntity({
  name: "shard",
  schema: WalletShard,
  // In a partition of its own: shards are written at the same time.
  key: (programId: string, walletId: string, shardId: string) => ({
    pk: `${programId}#${walletId}#SHARD#${shardId}`,
    sk: "SHARD",
  }),
});

export function shardIds({ shards = 0 }: Pick<StoredAccount, "shards">): string[] {
  return Array.from({ length: shards }, (_, index) => String(index + 1));
}

/** Shards have available and held money: other changes are made to the Wallet's own item. */
export function mayUseShards(
  { isCovered, require, balances, set }: AccountChange,
  { availableMinor, heldMinor, pendingDepositMinor }: AccountBalances,
): boolean {
  const isGiven = availableMinor > 0 || (availableMinor === 0 && heldMinor !== 0);
  const isAllowed = isCovered ? availableMinor < 0 : isGiven;
  return pendingDepositMinor === 0 && isAllowed && !require && !balances && !set;
}

/** A hot Wallet's own item and its shards by their ids. */
export interface SplitWallet {
  readonly stored: StoredAccount;
  readonly shards: ReadonlyMap<string, WalletShard>;
}

/** The balances of the whole Wallet. */
export function withShards<W extends StoredAccount>(wallet: W, shards: Iterable<Part>): W {
  const { availableMinor, heldMinor, entries } = addUp(shards);
  return {
    ...wallet,
    entries: wallet.entries + entries,
    availableMinor: wallet.availableMinor + availableMinor,
    heldMinor: wallet.heldMinor + heldMinor,
    ledgerMinor: wallet.ledgerMinor + availableMinor + heldMinor,
  };
}

/** What the Wallet's balances consist of, with those of its own item. */
export type Part = Pick<WalletShard, "availableMinor" | "heldMinor" | "entries">;

export function addUp(parts: Iterable<Part>): Required<Part> {
  const sum = { availableMinor: 0, heldMinor: 0, entries: 0 };
  for (const { availableMinor, heldMinor = 0, entries = 0 } of parts) {
    sum.availableMinor += availableMinor;
    sum.heldMinor += heldMinor;
    sum.entries += entries;
  }
  return sum;
}

/** Undefined if a write holds one of the items, or if the Wallet is not split any more. */
export async function readTogetherWith(
  programId: string,
  account: Account,
  seen: Pick<StoredAccount, "shards">,
): Promise<SplitWallet | undefined> {
  const item = accountAt(programId, account);
  const ids = shardIds(seen);
  const keys = ids.map((id) => walletShards.at(programId, account.accountId, id).key);
  const found = await readTogether([item.key, ...keys]);
  const stored = found && (await item.get(async () => found[0]));
  if (!stored || stored.shards !== seen.shards) return undefined;
  const shards = ids.flatMap((id, index) => {
    const shard = walletShards.parse(found[index + 1]);
    return shard ? [[id, shard] as const] : [];
  });
  if (shards.length < ids.length) throw lostShards(account);
  return { stored, shards: new Map(shards) };
}

export function lostShards({ accountId }: Account): Error {
  return new Error(`Shards of the Wallet ${accountId} are missing: its balance is unknown.`);
}

/** The epoch in which the shards of a Wallet can be used again after they are sealed. */
export function nextEpoch({ epoch = 0 }: StoredAccount): number {
  return epoch + 1;
}

/** Stands for the Wallet's own item among its shards. */
export const ownItem = "";

/** A Wallet's own item, and the available balance of it and of each shard, not at one moment. */
export interface ReadParts {
  readonly stored: StoredAccount | undefined;
  readonly parts: ReadonlyMap<string, number>;
}

export async function readParts(
  programId: string,
  account: Account,
  shards: Pick<StoredAccount, "shards">,
): Promise<ReadParts> {
  const { key } = accountAt(programId, account);
  const keys = shardIds(shards).map((id) => walletShards.at(programId, account.accountId, id).key);
  const found = await readBatch([key, ...keys]);
  const stored = await accountAt(programId, account).get(async () => found.find(({ pk }) => pk === key.pk));
  return {
    stored,
    parts: new Map(found.map((item) => [toPart(programId, account, item), Number(item.availableMinor)])),
  };
}

/** Which part of the Wallet an item is. */
function toPart(programId: string, { accountId }: Account, { pk }: Record<string, unknown>): string {
  const ofShards = walletShards.at(programId, accountId, "").key.pk;
  return String(pk).startsWith(ofShards) ? String(pk).slice(ofShards.length) : ownItem;
}
