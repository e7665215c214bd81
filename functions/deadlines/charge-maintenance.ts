import { getCard, hasStatusIn, toCardIdentity } from "../../shared/cards/card.ts";
import { maintenance, maintenanceDeadline } from "../../shared/cards/maintenance-deadline.ts";
import { CardStatus, FeeType } from "../../shared/contract/enums.ts";
import { commit } from "../../shared/ledger/commit.ts";
import { journalEntry } from "../../shared/ledger/journal-entry.ts";
import { feeCharged } from "../../shared/ledger/postings.ts";
import { renderCardNotifications } from "../../shared/notifications/card-notifications.ts";
import { now } from "../../shared/platform/clock.ts";
import { type DueDeadline, deadlineClaim } from "../../shared/platform/deadlines.ts";
import { outboxPut } from "../../shared/platform/outbox/outbox-put.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import { getProgram, scheduledFeeMinor } from "../../shared/tenancy/programs/program.ts";
import { feePut, newFee } from "../../shared/transactions/transaction.ts";

/** Statuses in which a card can be used, or could be after activation or release. */
const maintainedStatuses = [CardStatus.active, CardStatus.onHold, CardStatus.notActivated];

/**
 * Charges a month's maintenance, even into debt, and moves the deadline to the next month. The
 * deadline's time is the claim: each month is charged once. A closed card has no next month.
 */
export async function chargeMaintenance(deadline: DueDeadline): Promise<void> {
  const { ownerId: programId } = deadline;
  const { cardId } = maintenance.parse(deadline);
  const [card, { settings }] = await Promise.all([getCard(programId, cardId), getProgram(programId)]);
  const next = maintenanceDeadline(programId, card, deadline.dueAt).dueAt;
  const amountMinor = scheduledFeeMinor(settings, 2);
  if (card.issuerCardStatus === CardStatus.closed) return move(deadline, undefined);
  if (amountMinor === 0) return move(deadline, next);

  const at = now();
  const identity = toCardIdentity(programId, card);
  const fee = newFee({ identity, at }, { feeType: FeeType.maintenance, amountMinor });
  const {
    outboxDetail: notificationIds,
    writes,
    writesWithBalance,
  } = renderCardNotifications("fee.posted", identity, {
    fee,
  });
  const outcome = await commit({
    programId,
    at,
    entry: journalEntry("fee", fee.feeId, feeCharged(cardId, amountMinor), at),
    accounts: [
      {
        name: "account",
        account: { kind: "card", accountId: cardId },
        require: hasStatusIn(maintainedStatuses),
      },
    ],
    writes: [
      feePut(fee),
      ...writes,
      outboxPut(programId, "fee.posted", { card: identity, fee, ...notificationIds }, at),
      deadlineClaim(deadline, next),
    ],
    ...(writesWithBalance && {
      balanceAfter: { name: "account", writes: writesWithBalance, seenMinor: card.ledgerMinor },
    }),
  });
  if (outcome.outcome === "committed") return;
  // Another sweep was faster, or the card was closed meanwhile: the next attempt finds out.
  if (!outcome.failedConditions.has("deadline"))
    throw new Error(`The card ${cardId} changed while it was charged.`);
}

/** A faster sweep may have moved it already. */
async function move(deadline: DueDeadline, to: Date | undefined): Promise<void> {
  await transact([deadlineClaim(deadline, to)]);
}
