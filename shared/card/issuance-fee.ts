import type { ProgramSettings } from "../contract/operator.ts";
import { feeCharged } from "../ledger/card-movements.ts";
import { entryPuts, journalEntry } from "../ledger/journal-entry.ts";
import { type AccountBalances, balanceChanges, zeroBalances } from "../ledger/posting.ts";
import { outboxPut } from "../outbox/outbox-put.ts";
import { scheduledFeeMinor } from "../program/fee-schedule.ts";
import type { WriteAction } from "../table/transact.ts";
import { feePut } from "../transaction/fee.ts";
import { newFee } from "../transaction/new-fee.ts";
import { cardNotices } from "../webhook/card-notices.ts";
import type { CardIdentity } from "./card-identity.ts";

/** What the approval of an issuance costs the card, and what is written of it. */
export interface IssuanceFee {
  /** What a card without money comes to hold by it. */
  readonly balances: AccountBalances;
  readonly writes: readonly WriteAction[];
}

/** The fee for an issuance, charged in the transaction that approves it: the card begins with a debt. Nothing where the Program charges nothing. */
export function issuanceFee(identity: CardIdentity, settings: ProgramSettings, at: Date): IssuanceFee {
  const amountMinor = scheduledFeeMinor(settings, 1);
  if (amountMinor === 0) return { balances: zeroBalances, writes: [] };
  const { programId, cardId } = identity;
  const fee = newFee({ identity, at }, { feeType: 1, amountMinor });
  const entry = journalEntry("fee", fee.feeId, feeCharged(cardId, amountMinor), at);
  const balances = balanceChanges(entry.postings).get(cardId) ?? zeroBalances;
  const { notificationIds, writes, telling } = cardNotices("fee.posted", identity, { fee });
  return {
    balances,
    writes: [
      ...entryPuts(programId, entry),
      feePut(fee),
      ...writes,
      ...(telling?.(balances.ledgerMinor) ?? []),
      outboxPut(programId, "fee.posted", { card: identity, fee, ...notificationIds }, at),
    ],
  };
}
