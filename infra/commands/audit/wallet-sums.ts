import { readAccount } from "../../../shared/domain/ledger/account.ts";
import { walletTransactionList } from "../../../shared/domain/ledger/journal-entry.ts";
import { listAttributes } from "../../../shared/lists/entry.ts";
import { readAllEntries } from "../../../shared/lists/rebuild.ts";

/** A Wallet that changes while it is read is read again. */
const maximumReadings = 6;

/** Returns a fault if a Wallet's listed transactions do not add up to its ledger balance. */
export async function walletSumFaults(programId: string, walletId: string): Promise<string[]> {
  for (let reading = 1; reading <= maximumReadings; reading += 1) {
    const before = await ledgerMinor(programId, walletId);
    const sum = await listedMinor(programId, walletId);
    if (sum === before) return [];
    if ((await ledgerMinor(programId, walletId)) !== before) continue;
    return [
      `${programId} ${walletId}: its listed transactions sum to ${sum}, but its ledgerBalance is ${before}.`,
    ];
  }
  return [`${programId} ${walletId} changed during every read. Audit it again.`];
}

async function ledgerMinor(programId: string, walletId: string): Promise<number | undefined> {
  return (await readAccount(programId, { kind: "wallet", accountId: walletId }))?.ledgerMinor;
}

async function listedMinor(programId: string, walletId: string): Promise<number> {
  const entries = await readAllEntries({ programId, kind: walletTransactionList, owner: walletId });
  const index = listAttributes(walletTransactionList).indexOf("amountMinor");
  return entries.reduce((sum, { values, weight }) => sum + Number(values[index]) * weight, 0);
}
