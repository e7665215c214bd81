import { getCard } from "../../shared/card/card.ts";
import { identityOf } from "../../shared/card/card-identity.ts";
import { cardOfDeadline, maintenanceDeadline } from "../../shared/card/maintenance-deadline.ts";
import { now } from "../../shared/clock.ts";
import { CardStatus } from "../../shared/contract/enums.ts";
import { type Deadline, deadlineMove } from "../../shared/deadline/deadline.ts";
import { feeCharged } from "../../shared/ledger/card-movements.ts";
import { commitEntry } from "../../shared/ledger/commit-entry.ts";
import { journalEntry } from "../../shared/ledger/journal-entry.ts";
import { outboxPut } from "../../shared/outbox/outbox-put.ts";
import { scheduledFeeMinor } from "../../shared/program/fee-schedule.ts";
import { getProgram } from "../../shared/program/program.ts";
import { transact } from "../../shared/table/transact.ts";
import { feePut } from "../../shared/transaction/fee.ts";
import { newFee } from "../../shared/transaction/new-fee.ts";
import { cardNotices } from "../../shared/webhook/card-notices.ts";

/** Cards that somebody may use, or could if they activated or released them. */
const maintainedStatuses = [CardStatus.active, CardStatus.onHold, CardStatus.notActivated];

/**
 * Charges a month's maintenance of a card, whether or not it has the money, and sets the next month's. The deadline's time is the claim, so that
 * each month is charged once. A month in which the schedule asks for nothing is free; a closed card has no next month.
 */
export async function chargeDueMaintenance(deadline: Deadline): Promise<void> {
  const programId = deadline.ownerId;
  const cardId = cardOfDeadline(deadline.deadlineId);
  const [card, { settings }] = await Promise.all([getCard(programId, cardId), getProgram(programId)]);
  const next = maintenanceDeadline(programId, card, deadline.dueAt).dueAt;
  const amountMinor = scheduledFeeMinor(settings, 2);
  if (card.issuerCardStatus === CardStatus.closed) return move(deadline, undefined);
  if (amountMinor === 0) return move(deadline, next);

  const at = now();
  const identity = identityOf(programId, card);
  const fee = newFee({ identity, at }, { feeType: 2, amountMinor });
  const { notificationIds, writes, telling } = cardNotices("fee.posted", identity, { fee });
  const outcome = await commitEntry({
    programId,
    at,
    entry: journalEntry("fee", fee.feeId, feeCharged(cardId, amountMinor), at),
    accounts: [
      {
        name: "account",
        account: { kind: "card", accountId: cardId },
        require: { issuerCardStatusIn: maintainedStatuses },
      },
    ],
    writes: [
      feePut(fee),
      ...writes,
      outboxPut(programId, "fee.posted", { card: identity, fee, ...notificationIds }, at),
      deadlineMove(deadline, next),
    ],
    ...(telling && { telling: { name: "account", writes: telling, seenMinor: card.ledgerMinor } }),
  });
  if (outcome.outcome === "committed") return;
  if (outcome.outcome !== "refused") throw new Error("A commit without a key cannot be a repetition.");
  // Another sweep was quicker; or the card was closed meanwhile, which the next attempt finds.
  if (!outcome.refusals.has("deadline")) throw new Error(`The card ${cardId} changed while it was charged.`);
}

/** Whoever was quicker has moved it already. */
async function move(deadline: Deadline, to: Date | undefined): Promise<void> {
  await transact([deadlineMove(deadline, to)]);
}
