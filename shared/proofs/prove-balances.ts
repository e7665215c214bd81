import type { BalanceProof } from "../contract/balances.ts";
import type { Account, StoredAccount } from "../ledger/account.ts";
import { readAccount } from "../ledger/hot-wallets.ts";
import { now, timestamp } from "../platform/clock.ts";
import { ApiError } from "../platform/http/api-error.ts";
import { Conflict, ContendedError, repeat } from "../platform/table/retry.ts";
import { isTimeUp } from "../platform/time-budget.ts";
import { toBalanceProof } from "./account-sums.ts";
import { type Checkpoint, checkpoints, keepCheckpoint, type NewCheckpoint } from "./checkpoint.ts";
import { readJournal } from "./read-journal.ts";

interface CheckpointUse {
  readonly read: () => Promise<Checkpoint | undefined>;
  readonly keep: (next: NewCheckpoint, seen: Checkpoint | undefined) => Promise<void>;
  /** Ends a long reading: the next one continues it. */
  readonly isTimeUp: () => boolean;
}

/**
 * Compares journal, records, open holds and pending deposits with the stored balances. Continues
 * the account's checkpoint. Reads again if the account changed meanwhile, and the whole journal if
 * the first proof failed.
 * @throws ApiError NOT_FOUND
 * @throws ContendedError when the time is up
 */
export function proveBalances(programId: string, account: Account): Promise<BalanceProof> {
  return prove(programId, account, {
    read: () => checkpoints.at(programId, account.accountId).get(),
    keep: (next, seen) => keepCheckpoint(programId, account, next, seen),
    isTimeUp,
  });
}

/** As `proveBalances`, from the whole journal, however long it takes. Writes nothing. */
export function proveFromJournal(programId: string, account: Account): Promise<BalanceProof> {
  const nothing = async () => undefined;
  return prove(programId, account, { read: nothing, keep: nothing, isTimeUp: () => false });
}

async function prove(programId: string, account: Account, use: CheckpointUse): Promise<BalanceProof> {
  let failed: BalanceProof | undefined;
  const { result } = await repeat<BalanceProof>(
    async () => {
      const [before, seen] = await Promise.all([storedAccount(programId, account), use.read()]);
      const checkpoint = failed ? undefined : seen;
      const { isTimeUp } = use;
      const reading = await readJournal({ programId, account, checkpoint, isTimeUp });
      const isRestarted = failed !== undefined && seen !== undefined;
      if (!reading.isComplete && failed && (!seen || isRecent(seen))) return failed;
      if (isRestarted || reading.isWorthKeeping) await use.keep(reading.next, seen);
      if (!reading.isComplete) throw new ContendedError(["journal"]);
      const sums = await reading.addLater();
      const after = await storedAccount(programId, account);
      if (hasChanged(before, after)) return new Conflict("account");
      const provenAt = timestamp();
      const proof = toBalanceProof({ sums, stored: after, kind: account.kind, checkpoint, provenAt });
      if (proof.proven || failed) return proof;
      failed = proof;
      return new Conflict("account");
    },
    { firstAtOnce: true },
  );
  if (!(result instanceof Conflict)) return result;
  // The checkpoint may be wrong: only the whole journal, which was not read at rest, could tell.
  if (failed && !failed.checkpoint) return failed;
  throw new ContendedError(result.names);
}

/** An hour after a reading from the first entry, another may be begun if a proof fails. */
function isRecent({ begunAt }: Checkpoint): boolean {
  return Date.parse(begunAt) > now().getTime() - 3_600_000;
}

/** A hot Wallet is not sealed for it: one that is in use changes before its journal is read. */
async function storedAccount(programId: string, account: Account): Promise<StoredAccount> {
  const stored = await readAccount(programId, account, { mayWrite: false });
  if (!stored) throw new ApiError("NOT_FOUND");
  return stored;
}

const counts = [
  "availableMinor",
  "heldMinor",
  "pendingDepositMinor",
  "ledgerMinor",
  "entries",
  "fundedHeldMinor",
] as const;

function hasChanged(before: StoredAccount, after: StoredAccount): boolean {
  return counts.some((count) => before[count] !== after[count]);
}
