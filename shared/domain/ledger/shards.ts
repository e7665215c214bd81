import * as z from "zod";
import { now, timestamp } from "../../platform/clock.ts";
import { deadlineReplace } from "../../platform/deadlines.ts";
import { log } from "../../platform/log.ts";
import { absent, all, atLeast, exists } from "../../platform/table/condition.ts";
import { defineEntity } from "../../platform/table/entity.ts";
import { issuingKey } from "../../platform/table/keys.ts";
import { Conflict, ContendedError, repeat, retry } from "../../platform/table/retry.ts";
import { readTogether, transact, transactUnless, type WriteAction } from "../../platform/table/transact.ts";
import { type Account, accountAt, type StoredAccount } from "./account.ts";

/**
 * A part of a hot Wallet's available balance. Transfers that take from different shards do not
 * conflict. While a Wallet has shards, none of its parts is below zero.
 */
const WalletShard = z.object({
  availableMinor: z.int(),
  /** How often it was written. */
  changes: z.int(),
  /** The journal entries counted here and not on the Wallet's item. */
  entries: z.int().optional(),
});

type WalletShard = Readonly<z.output<typeof WalletShard>>;

export const walletShards = defineEntity({
  name: "shard",
  table: "issuing",
  schema: WalletShard,
  // In a partition of its own: shards are written at the same time.
  key: (programId: string, walletId: string, shardId: string) => ({
    pk: `${issuingKey.wallet(programId, walletId).pk}#SHARD#${shardId}`,
    sk: "SHARD",
  }),
});

/** Enough for 64 callers, few enough for one transaction. */
export const shardCount = 64;

/** A Wallet whose shards were merged stays whole for this time: the merge had a reason. */
const restMs = 2_000;
const coolingMs = 3_600_000;
/** Fewer changes than one in a second do not need shards. */
const fewChanges = coolingMs / 1_000;

/** Consistent read; undefined if the account does not exist in this Program. */
export async function readAccount(programId: string, account: Account): Promise<StoredAccount | undefined> {
  const stored = await accountAt(programId, account).get();
  return stored?.shards ? readWhole(programId, account, stored) : stored;
}

/** How often a reading is repeated before the Wallet is merged. */
const patience = 8;

/**
 * The sum of a Wallet and its shards at one moment. Merges shards that are never at rest.
 * @throws ContendedError when the time for retries is up
 */
async function readWhole(
  programId: string,
  account: Account,
  seen: StoredAccount,
): Promise<StoredAccount | undefined> {
  const item = accountAt(programId, account);
  let stored: StoredAccount | undefined = seen;
  let conflicts = 0;
  const { result } = await repeat(
    async () => {
      while (stored?.shards) {
        const ids: string[] = [...stored.shards];
        const shards = ids.map((id) => walletShards.at(programId, account.accountId, id));
        const found = await readTogether([item.key, ...shards.map(({ key }) => key)]);
        if (!found) {
          conflicts += 1;
          if (conflicts < patience) return new Conflict("shards");
          await mergeShards(programId, account);
          stored = await item.get();
          continue;
        }
        stored = await item.get(async () => found[0]);
        const parts = found.slice(1).flatMap((part) => walletShards.parse(part) ?? []);
        if (stored?.shards?.size === parts.length && ids.every((id) => stored?.shards?.has(id))) {
          return withShards(stored, parts);
        }
      }
      return stored;
    },
    { firstAtOnce: true },
  );
  if (result instanceof Conflict) throw new ContendedError(result.names);
  return result;
}

/** The balances of the whole Wallet. */
export function withShards<W extends StoredAccount>(
  wallet: W,
  parts: readonly Pick<WalletShard, "availableMinor" | "entries">[],
): W {
  const sumMinor = parts.reduce((sum, { availableMinor }) => sum + availableMinor, 0);
  const counted = parts.reduce((sum, { entries = 0 }) => sum + entries, wallet.entries ?? 0);
  return {
    ...wallet,
    entries: counted,
    availableMinor: wallet.availableMinor + sumMinor,
    ledgerMinor: wallet.ledgerMinor + sumMinor,
  };
}

/**
 * Divides a contended Wallet's available balance over shards. Does nothing if it cannot give each
 * shard `leastMinor`. Returns the shards, if it has any now.
 */
export async function splitWallet(
  programId: string,
  account: Account,
  leastMinor: number,
): Promise<ReadonlySet<string> | undefined> {
  const stored = await accountAt(programId, account).get();
  if (!stored || stored.shards) return stored?.shards;
  const { availableMinor, mergedAt } = stored;
  const isResting = mergedAt !== undefined && now().getTime() - Date.parse(mergedAt) < restMs;
  if (isResting || availableMinor < shardCount * leastMinor) return undefined;
  const shards = new Set(Array.from({ length: shardCount }, (_, index) => String(index + 1)));
  const shareMinor = Math.floor(Math.max(0, availableMinor) / (shardCount + 1));
  const takenMinor = shareMinor * shardCount;
  const { accountId } = account;
  const wallet = accountAt(programId, account).update(
    { set: { shards }, increase: { availableMinor: -takenMinor, ledgerMinor: -takenMinor } },
    all<StoredAccount>(exists, { shards: absent, availableMinor: atLeast(takenMinor) }),
  );
  const outcome = await transactUnless(
    [
      { ...wallet, name: "wallet" },
      ...[...shards].map((id) =>
        walletShards.at(programId, accountId, id).create({ availableMinor: shareMinor, changes: 0 }),
      ),
      coolingPut(programId, accountId, 0),
    ],
    new Set(["wallet"]),
  );
  if ("contended" in outcome || !outcome.committed) return undefined;
  log.info("The Wallet is split into shards.", { programId, walletId: accountId });
  return shards;
}

/** Makes the Wallet's own item have all its money again. Others may change its shards meanwhile. */
export async function mergeShards(programId: string, account: Account): Promise<void> {
  const stored = await accountAt(programId, account).get();
  for (const shardId of stored?.shards ?? []) await mergeShard(programId, account, shardId);
}

function mergeShard(programId: string, account: Account, shardId: string): Promise<void> {
  const shard = walletShards.at(programId, account.accountId, shardId);
  return retry<void>(async () => {
    const found = await shard.get();
    if (!found) return undefined;
    const { availableMinor, entries } = found;
    const wallet = accountAt(programId, account).update(
      {
        set: { mergedAt: timestamp() },
        increase: { availableMinor, ledgerMinor: availableMinor },
        add: { entries: entries ?? 0 },
        discard: { shards: new Set([shardId]) },
      },
      exists,
    );
    const { committed } = await transact([wallet, shard.delete({ availableMinor, entries })]);
    return committed ? undefined : new Conflict("shard");
  });
}

/**
 * Merges the shards of a Wallet that was written less than once in a second since `changesBefore`
 * were counted; else looks again in an hour. Returns whether it is whole.
 */
export async function coolWallet(
  programId: string,
  walletId: string,
  changesBefore: number,
): Promise<boolean> {
  const account: Account = { kind: "wallet", accountId: walletId };
  const stored = await accountAt(programId, account).get();
  const ids = [...(stored?.shards ?? [])];
  const shards = await Promise.all(ids.map((id) => walletShards.at(programId, walletId, id).get()));
  const changes = shards.reduce((sum, shard) => sum + (shard?.changes ?? 0), 0);
  if (changes - changesBefore >= fewChanges) {
    await transact([coolingPut(programId, walletId, changes)]);
    return false;
  }
  await mergeShards(programId, account);
  return true;
}

function coolingPut(programId: string, walletId: string, changes: number): WriteAction {
  return deadlineReplace({
    ownerId: programId,
    deadlineId: `shards:${walletId}`,
    kind: "merge_shards",
    dueAt: new Date(now().getTime() + coolingMs),
    walletId,
    changes,
  });
}
