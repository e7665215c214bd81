import type { ProgramSettings } from "../../contract/account-programs.ts";
import { FeeType } from "../../contract/enums.ts";
import { deadlinePut } from "../../platform/deadlines/deadline.ts";
import { outboxPut } from "../../platform/outbox/outbox-put.ts";
import type { WriteAction } from "../../platform/table/transact.ts";
import { scheduledFeeMinor } from "../../tenancy/programs/fee-schedule.ts";
import { entryPuts, journalEntry } from "../ledger/journal-entry.ts";
import { type AccountBalances, balanceChanges, feeCharged, zeroBalances } from "../ledger/postings.ts";
import { renderCardNotifications } from "../notifications/card-notifications.ts";
import { feePut, newFee } from "../transactions/fee.ts";
import type { Card } from "./card.ts";
import { identityOf } from "./card-identity.ts";
import { maintenanceDeadline } from "./maintenance-deadline.ts";

export interface IssuanceCharges {
  /** The balances of a new card after the charge. */
  readonly balances: AccountBalances;
  readonly writes: readonly WriteAction[];
}

/**
 * Charged in the approving transaction, so the card starts in debt. The first maintenance is due from then.
 * Nothing if the Program charges nothing.
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
  const fee = newFee({ identity, at }, { feeType: FeeType.issuance, amountMinor });
  const entry = journalEntry("fee", fee.feeId, feeCharged(identity.cardId, amountMinor), at);
  const balances = balanceChanges(entry.postings).get(identity.cardId) ?? zeroBalances;
  const { notificationIds, writes, writesWithBalance } = renderCardNotifications("fee.posted", identity, {
    fee,
  });
  return {
    balances,
    writes: [
      ...entryPuts(programId, entry),
      feePut(fee),
      ...writes,
      ...(writesWithBalance?.(balances.ledgerMinor) ?? []),
      outboxPut(programId, "fee.posted", { card: identity, fee, ...notificationIds }, at),
      ...maintenance,
    ],
  };
}
