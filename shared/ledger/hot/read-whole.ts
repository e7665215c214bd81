import { randomInteger } from "../../platform/id.ts";
import { Conflict, ContendedError, type Delay, repeat, soon } from "../../platform/table/retry.ts";
import { type Account, accountAt, type StoredAccount } from "../account.ts";
import type { ReadOptions } from "../hot-wallets.ts";
import { sealShards } from "./sealing.ts";
import { nextEpoch, readTogetherWith, withShards } from "./shards.ts";

/** Between two sealings, transfers use the shards for 60 ms at least. */
const politely: Delay = () => randomInteger(60, 90);

/**
 * The sum of a Wallet and its shards at one moment after `seen` was read. Seals the shards for it
 * if they are not at rest, and leaves the result to all readings that began before.
 * @throws ContendedError when the time for retries is up
 */
export async function readWhole(
  programId: string,
  account: Account,
  seen: StoredAccount | undefined,
  { mayWrite = true }: ReadOptions = {},
): Promise<StoredAccount | undefined> {
  let stored = seen;
  let isFirst = true;
  const attempt = async () => {
    if (!stored?.shards) return stored;
    const isAtRest = isFirst || !mayWrite;
    isFirst = false;
    const whole = await (isAtRest ? readAtRest : readSealed)(programId, account, stored);
    if (whole) return whole;
    // A sealing of what has changed since does not begin.
    if (isAtRest && mayWrite) return new Conflict("shards");
    stored = await accountAt(programId, account).get();
    if (!stored?.shards) return stored;
    if (!stored.reading) return new Conflict("shards");
    const isLater = stored.reading.epoch > (seen?.epoch ?? 0);
    return isLater ? { ...stored, ...stored.reading } : new Conflict("shards");
  };
  const { result } = await repeat<StoredAccount | undefined>(attempt, { delay: politely });
  if (result instanceof Conflict) throw new ContendedError(result.names);
  return result;
}

async function readAtRest(
  programId: string,
  account: Account,
  seen: StoredAccount,
): Promise<StoredAccount | undefined> {
  const found = await readTogetherWith(programId, account, seen);
  return found && withShards(found.stored, found.shards.values());
}

/** The balances at the moment at which the next epoch begins; undefined if another began it. */
async function readSealed(
  programId: string,
  account: Account,
  seen: StoredAccount,
): Promise<StoredAccount | undefined> {
  const sealed = await sealShards(programId, account, seen);
  if (!sealed) return undefined;
  const { stored, shards } = sealed;
  const whole = withShards(stored, shards.values());
  const epoch = nextEpoch(stored);
  const { availableMinor, heldMinor, pendingDepositMinor, ledgerMinor, entries } = whole;
  const reading = { epoch, availableMinor, heldMinor, pendingDepositMinor, ledgerMinor, entries };
  const isAsSeen = {
    epoch: stored.epoch,
    availableMinor: stored.availableMinor,
    heldMinor: stored.heldMinor,
    pendingDepositMinor: stored.pendingDepositMinor,
    entries: stored.entries,
  };
  const item = accountAt(programId, account);
  const outcome = await item.updateNow({ set: { epoch, reading } }, isAsSeen, soon);
  if (outcome.updated) return whole;
  if (outcome.stored?.epoch !== stored.epoch) return undefined;
  // Credits change the Wallet's own item meanwhile: a reading of its own does not wait for them.
  const begun = await item.updateNow({ set: { epoch } }, { epoch: stored.epoch }, soon);
  return begun.updated ? withShards(begun.item, shards.values()) : undefined;
}
