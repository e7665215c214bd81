import { cards, hasStatusIn, toCardIdentity, toFunding } from "../../shared/cards/card.ts";
import { maintenance, maintenanceDeadline } from "../../shared/cards/maintenance-deadline.ts";
import { defineChange, foundAnew, whenFailed } from "../../shared/changes/change.ts";
import { execute } from "../../shared/changes/execute.ts";
import { CardStatus, FeeType } from "../../shared/contract/enums.ts";
import type { AccountCondition } from "../../shared/ledger/account.ts";
import { journalEntry } from "../../shared/ledger/journal-entry.ts";
import { feeCharged } from "../../shared/ledger/movements.ts";
import { fundedBy, payOwn } from "../../shared/network-events/funding.ts";
import { payFunded } from "../../shared/network-events/wallet-funding.ts";
import { renderSettlements } from "../../shared/notifications/settlement-notification.ts";
import { type DueDeadline, deadlineClaim } from "../../shared/platform/deadlines.ts";
import { outboxPut } from "../../shared/platform/outbox/outbox-put.ts";
import { scheduledFeeMinor } from "../../shared/tenancy/programs/fee-schedule.ts";
import { getProgram } from "../../shared/tenancy/programs/program.ts";
import { feePut } from "../../shared/transactions/fee.ts";
import { newFee } from "../../shared/transactions/fee-rules.ts";

/** Statuses in which a card can be used, or could be after activation or release. */
const maintainedStatuses: readonly CardStatus[] = [
  CardStatus.active,
  CardStatus.onHold,
  CardStatus.notActivated,
];

interface Due {
  readonly programId: string;
  readonly cardId: string;
  readonly deadline: DueDeadline;
}

/**
 * Charges a month's maintenance, even into debt, and moves the deadline to the next month. The
 * deadline's time is the claim: each month is charged once. A closed card has no next month.
 */
const chargeMonth = defineChange<Due, void, never>()({
  reads: ({ programId, cardId }) => ({
    account: cards.at(programId, cardId),
    program: foundAnew(() => getProgram(programId)),
    // A faster sweep has moved it already.
    deadline: whenFailed(() => true as const),
  }),
  decide: ({ programId, cardId, deadline }, { account: card, program, deadline: isMoved }, at) => {
    if (isMoved === true) return { done: undefined };
    if (!card || !program) throw new Error(`There is no card ${cardId} to be charged.`);
    const move = (to: Date | undefined) => ({
      writes: [deadlineClaim(deadline, to)],
      answer: undefined,
    });
    if (card.issuerCardStatus === CardStatus.closed) return move(undefined);
    const next = maintenanceDeadline(programId, card, deadline.dueAt).dueAt;
    const amountMinor = scheduledFeeMinor(program.settings, 2);
    if (amountMinor === 0) return move(next);
    if (!maintainedStatuses.includes(card.issuerCardStatus))
      throw new Error(`The card ${cardId} has no status in which it is charged.`);
    const identity = toCardIdentity(programId, card);
    const spendsFrom = toFunding(card);
    const funding = spendsFrom && { now: spendsFrom.walletId, ...spendsFrom };
    const charged = newFee({ identity, at }, { feeType: FeeType.maintenance, amountMinor });
    const fee = { ...charged, ...fundedBy({ funding }) };
    const { outboxDetail, writesWithBalance } = renderSettlements(identity, { fee });
    const require = hasStatusIn(maintainedStatuses) as AccountCondition;
    const postings = feeCharged(cardId, amountMinor);
    const moved = { postings, require, isOwed: true };
    const paying = funding ? payFunded({ card: identity, funding }, moved) : payOwn(identity, moved);
    return {
      entry: {
        ...journalEntry("fee", fee.feeId, paying.postings, at),
        ...(funding && { cardId }),
      },
      accounts: paying.accounts,
      writes: [
        feePut(fee),
        outboxPut(programId, "fee.posted", { card: identity, fee, ...outboxDetail }, at),
        deadlineClaim(deadline, next),
      ],
      balanceAfter: {
        ...paying.told,
        writes: writesWithBalance,
        ...(!funding && { seenMinor: card.ledgerMinor }),
      },
      answer: undefined,
    };
  },
});

export async function chargeMaintenance(deadline: DueDeadline): Promise<void> {
  const { cardId } = maintenance.parse(deadline);
  await execute(chargeMonth, { programId: deadline.ownerId, cardId, deadline });
}
