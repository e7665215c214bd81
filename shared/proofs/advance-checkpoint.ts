import type { Account } from "../ledger/account.ts";
import { isTimeUp } from "../platform/time-budget.ts";
import { checkpoints, keepCheckpoint } from "./checkpoint.ts";
import { readJournal } from "./read-journal.ts";

/** Adds what has settled to an account's checkpoint, if it is enough. Safe to run concurrently. */
export async function advanceCheckpoint(programId: string, account: Account): Promise<void> {
  const checkpoint = await checkpoints.at(programId, account.accountId).get();
  const reading = await readJournal({ programId, account, checkpoint, isTimeUp, isSettledOnly: true });
  if (reading.isWorthKeeping) await keepCheckpoint(programId, account, reading.next, checkpoint);
}
