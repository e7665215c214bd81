import type { ProgramSettings } from "../contract/program-settings.ts";
import { deadlinePut } from "../deadline/deadline.ts";
import { feeCharged } from "../ledger/card-movements.ts";
import { entryPuts, journalEntry } from "../ledger/journal-entry.ts";
import { type AccountBalances, balanceChanges, zeroBalances } from "../ledger/posting.ts";
import { outboxPut } from "../outbox/outbox-put.ts";
import { scheduledFeeMinor } from "../program/fee-schedule.ts";
import type { WriteAction } from "../table/transact.ts";
import { feePut } from "../transaction/fee.ts";
import { newFee } from "../transaction/new-fee.ts";
import { cardNotices } from "../webhook/card-notices.ts";
import type { Card } from "./card.ts";
import { identityOf } from "./card-identity.ts";
import { maintenanceDeadline } from "./maintenance-deadline.ts";

/** What the approval of an issuance costs the card, and what is written of it. */
export interface IssuanceCharges {
  /** What a card without money comes to hold by it. */
  readonly balances: AccountBalances;
  readonly writes: readonly WriteAction[];
}

/**
 * The fee for an issuance, charged in the transaction that approves it: the card begins with a debt. The first maintenance is due from then on.
 * Nothing where the Program charges nothing.
 */
export function issuanceCharges(
  programId: string,
  card: Card,
  settings: ProgramSettings,
  at: Date,
): IssuanceCharges {
  const amountMinor = scheduledFeeMinor(settings, 1);
  const maintained = scheduledFeeMinor(settings, 2) > 0;
  const maintenance = maintained ? [deadlinePut(maintenanceDeadline(programId, card, at))] : [];
  if (amountMinor === 0) return { balances: zeroBalances, writes: maintenance };
  const identity = identityOf(programId, card);
  const fee = newFee({ identity, at }, { feeType: 1, amountMinor });
  const entry = journalEntry("fee", fee.feeId, feeCharged(identity.cardId, amountMinor), at);
  const balances = balanceChanges(entry.postings).get(identity.cardId) ?? zeroBalances;
  const { notificationIds, writes, telling } = cardNotices("fee.posted", identity, { fee });
  return {
    balances,
    writes: [
      ...entryPuts(programId, entry),
      feePut(fee),
      ...writes,
      ...(telling?.(balances.ledgerMinor) ?? []),
      outboxPut(programId, "fee.posted", { card: identity, fee, ...notificationIds }, at),
      ...maintenance,
    ],
  };
}
