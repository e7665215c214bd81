import * as z from "zod";
import { now, timestamp } from "../../platform/clock.ts";
import { deadlineReplace, defineDeadline } from "../../platform/deadlines.ts";
import { log } from "../../platform/log.ts";
import { absent, all, atLeast, exists } from "../../platform/table/condition.ts";
import { Conflict, optionally, retry, soon } from "../../platform/table/retry.ts";
import { transactUnless, type WriteAction } from "../../platform/table/transact.ts";
import { withinTime } from "../../platform/time-budget.ts";
import { type Account, accountAt, type StoredAccount } from "../account.ts";
import { sealShards } from "./sealing.ts";
import {
  addUp,
  nextEpoch,
  type Part,
  readTogetherWith,
  type SplitWallet,
  shardIds,
  walletShards,
} from "./shards.ts";
import { mustStayWhole } from "./told-wallets.ts";

/** Enough for 64 callers, few enough for one transaction. */
const shardCount = 64;

/** A Wallet whose shards were merged stays whole for this time: the merge had a reason. */
const restMs = 2_000;
const mergedAfterMs = 3_600_000;
export const merging = defineDeadline("merge_shards", "bulk", z.object({ walletId: z.string() }));

/**
 * Divides a contended Wallet's available balance over shards, unless it cannot give `leastMinor` to
 * each part. Returns the Wallet's item if it has shards now.
 */
export async function splitWallet(
  programId: string,
  account: Account,
  leastMinor: number,
): Promise<StoredAccount | undefined> {
  const item = accountAt(programId, account);
  const stored = await item.get();
  if (!stored || stored.shards) return stored;
  const { mergedAt } = stored;
  const shareMinor = Math.floor(stored.availableMinor / (shardCount + 1));
  const restedMs = mergedAt === undefined ? restMs : Math.abs(now().getTime() - Date.parse(mergedAt));
  const isResting = restedMs < restMs;
  if (isResting || shareMinor < Math.max(1, leastMinor)) return undefined;
  if (await mustStayWhole(programId)) return undefined;
  const takenMinor = shareMinor * shardCount;
  const epoch = nextEpoch(stored);
  const wallet = item.update(
    {
      set: { shards: shardCount, epoch, sealing: epoch },
      increase: { availableMinor: -takenMinor, ledgerMinor: -takenMinor },
    },
    all<StoredAccount>(exists, { shards: absent, epoch: stored.epoch, availableMinor: atLeast(takenMinor) }),
  );
  const { accountId: walletId } = account;
  const dueAt = new Date(now().getTime() + mergedAfterMs);
  const outcome = await transactUnless(
    [
      wallet,
      ...shardIds({ shards: shardCount }).map((id) =>
        walletShards.at(programId, walletId, id).create({ availableMinor: shareMinor, epoch }),
      ),
      deadlineReplace(merging.at({ ownerId: programId, deadlineId: `shards:${walletId}`, dueAt, walletId })),
    ],
    (name) => name === wallet.name,
  );
  if ("contended" in outcome || !outcome.committed) return undefined;
  log.info("The Wallet is split into shards.", { programId, walletId });
  return { ...stored, shards: shardCount, epoch, sealing: epoch };
}

/** A request can do without the split: it tries no longer than this. */
const splittingMs = 500;

/** As `splitWallet`, for a request that can do without. Never rejects. */
export async function trySplit(
  programId: string,
  account: Account,
  leastMinor: number,
): Promise<StoredAccount | undefined> {
  try {
    const split = () => splitWallet(programId, account, leastMinor);
    return await optionally(() => withinTime(splittingMs, split));
  } catch (error) {
    log.warn("The Wallet was not split.", { programId, walletId: account.accountId, error });
    return undefined;
  }
}

interface MergeOptions {
  /** False if nothing needs the Wallet to be whole: it may be split again at once. */
  readonly rests?: boolean;
}

/**
 * Makes the Wallet's own item have all its money again. Seals shards that are used meanwhile.
 * @throws ContendedError when the time for retries is up
 */
export function mergeShards(
  programId: string,
  account: Account,
  { rests = true }: MergeOptions = {},
): Promise<void> {
  let isSealed = false;
  return retry<void>(async () => {
    const stored = await accountAt(programId, account).get();
    if (!stored?.shards) return undefined;
    const found = await (isSealed ? sealShards : readTogetherWith)(programId, account, stored);
    const set = rests ? { mergedAt: timestamp() } : {};
    const actions = found && mergeActions(programId, account, found, set);
    // Conflicts on sealed shards end by themselves.
    const returned = isSealed ? [] : (actions ?? []).map(({ name }) => name);
    isSealed = true;
    const outcome = actions && (await transactUnless(actions, (name) => returned.includes(name), soon));
    return outcome && "committed" in outcome && outcome.committed ? undefined : new Conflict("shards");
  }, soon);
}

/** Merges the shards while they are as found, with one more change of the Wallet. */
export function mergeActions(
  programId: string,
  account: Account,
  { stored, shards }: SplitWallet,
  set: Pick<StoredAccount, "mergedAt"> = {},
  change: Part = { availableMinor: 0 },
): WriteAction[] {
  const { availableMinor: sumMinor, heldMinor, entries } = addUp([...shards.values(), change]);
  const wallet = accountAt(programId, account).update(
    {
      set: { ...set, epoch: nextEpoch(stored) },
      increase: {
        availableMinor: sumMinor,
        ledgerMinor: sumMinor + heldMinor,
        ...(heldMinor !== 0 && { heldMinor }),
      },
      add: { entries },
      remove: ["shards", "reading", "sealingMs"],
    },
    { epoch: stored.epoch, availableMinor: atLeast(-sumMinor) },
  );
  const deletions = [...shards].map(([id, { availableMinor, heldMinor: held, entries: counted }]) =>
    walletShards
      .at(programId, account.accountId, id)
      .delete({ availableMinor, heldMinor: held, entries: counted }),
  );
  return [wallet, ...deletions];
}
