import type { AccountBalances } from "../ledger/account.ts";
import type { JournalEntry } from "../ledger/journal-entry.ts";
import { balanceChanges, zeroBalances } from "../ledger/postings.ts";
import { earliestId } from "../platform/id.ts";
import { checkpoints } from "../proofs/checkpoint.ts";
import { idMarginMs, ownerParts, readPart, shifted } from "./read-entries.ts";

/**
 * The balances of a Card or Wallet at a time: those of its checkpoint, with what lies between. The
 * cost is that of the entries between the two, or of all before without a checkpoint.
 */
export async function readBalancesAt(
  programId: string,
  accountId: string,
  at: Date,
): Promise<AccountBalances> {
  const checkpoint = await checkpoints.at(programId, accountId).get();
  let balances = checkpoint?.balances ?? zeroBalances;
  const add = (entry: JournalEntry, sign: 1 | -1) => {
    balances = added(balances, balanceChanges(entry.postings).get(accountId) ?? zeroBalances, sign);
  };
  for (const [part, kind] of ownerParts(accountId)) {
    const bound = checkpoint?.parts[part]?.before ?? `${part}#`;
    const early = `${part}#${earliestId(kind, shifted(at, -idMarginMs))}`;
    const late = `${part}#${earliestId(kind, shifted(at, idMarginMs))}`;
    for await (const { entry, sk } of readPart(programId, accountId, { part, first: bound, last: late }))
      if (sk >= bound && isBefore(entry, at)) add(entry, 1);
    for await (const { entry, sk } of readPart(programId, accountId, { part, first: early, last: bound }))
      if (sk < bound && !isBefore(entry, at)) add(entry, -1);
  }
  return balances;
}

export function isBefore({ createdAt }: JournalEntry, at: Date): boolean {
  return Date.parse(createdAt) < at.getTime();
}

function added(one: AccountBalances, other: AccountBalances, sign: 1 | -1): AccountBalances {
  return {
    availableMinor: one.availableMinor + sign * other.availableMinor,
    heldMinor: one.heldMinor + sign * other.heldMinor,
    pendingDepositMinor: one.pendingDepositMinor + sign * other.pendingDepositMinor,
    ledgerMinor: one.ledgerMinor + sign * other.ledgerMinor,
  };
}
