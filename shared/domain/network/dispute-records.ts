import type { CompleteDispute } from "../disputes/dispute.ts";
import { type DisputeTypes, disputeTypesOf, type StatusTrigger } from "../disputes/transitions.ts";
import type { EntryKind } from "../ledger/journal-entry.ts";
import {
  disputeDenied,
  disputeWon,
  type Posting,
  provisionalCreditPosted,
  provisionalCreditReversed,
} from "../ledger/postings.ts";
import type { Transaction } from "../transactions/transaction.ts";
import { type CardSubject, newTransaction } from "./plan.ts";

const denying: ReadonlySet<StatusTrigger> = new Set(["lose", "withdraw", "reverse", "expire"]);

export function entryKindOf(trigger: StatusTrigger, isCredited: boolean): EntryKind {
  if (isCredited) return "provisional_credit";
  if (trigger === "win") return "dispute_won";
  if (trigger === "write_off") return "dispute_written_off";
  return denying.has(trigger) ? "dispute_denied" : "dispute_opened";
}

/** What a change of status moves: for the Card, and of what is disputed. */
export function postingsOf(
  before: CompleteDispute,
  { creditedMinor }: CompleteDispute,
  trigger: StatusTrigger,
): Posting[] {
  const { cardId, amountMinor } = before;
  const isAdvanced = before.creditedMinor > 0;
  if (trigger === "win") return disputeWon(cardId, amountMinor, isAdvanced);
  const changeMinor = creditedMinor - before.creditedMinor;
  const ofCard =
    changeMinor > 0
      ? provisionalCreditPosted(cardId, changeMinor)
      : changeMinor < 0
        ? provisionalCreditReversed(cardId, -changeMinor)
        : [];
  const isDenied = denying.has(trigger) || trigger === "write_off";
  return isDenied ? [...disputeDenied(amountMinor), ...ofCard] : ofCard;
}

const steps: Readonly<Record<StatusTrigger, keyof DisputeTypes | undefined>> = {
  submit: "opened",
  request_evidence: undefined,
  represent: "represented",
  pre_arbitrate: undefined,
  arbitrate: undefined,
  win: "won",
  lose: "provisionalDebit",
  write_off: "writtenOff",
  withdraw: "reversed",
  reverse: "reversed",
  expire: "provisionalDebit",
};

/** The Card's transactions that record it: none of a new dispute, or of a second submission. */
export function recordsOf(
  subject: CardSubject,
  before: CompleteDispute,
  after: CompleteDispute,
  trigger: StatusTrigger,
): Transaction[] {
  const step = steps[trigger];
  const isUnrecorded = trigger === "submit" ? before.status !== "new" : before.status === "new";
  if (!step || isUnrecorded) return [];
  const changeMinor = after.creditedMinor - before.creditedMinor;
  if (trigger !== "submit") return [disputeRecord(subject, before, step, Math.abs(changeMinor))];
  const opened = disputeRecord(subject, before, step, 0);
  return changeMinor === 0
    ? [opened]
    : [opened, disputeRecord(subject, before, "provisionalCredit", changeMinor)];
}

const descriptions: DisputeTypes<string> = {
  opened: "Chargeback",
  won: "Chargeback won",
  provisionalCredit: "Provisional credit",
  provisionalDebit: "Provisional debit",
  reversed: "Chargeback reversed",
  writtenOff: "Chargeback written off",
  represented: "Representment",
};

const debits: ReadonlySet<keyof DisputeTypes> = new Set(["represented", "provisionalDebit", "reversed"]);

export function disputeRecord(
  subject: CardSubject,
  dispute: CompleteDispute,
  step: keyof DisputeTypes,
  amountMinor: number,
): Transaction {
  return newTransaction(subject, {
    transType: disputeTypesOf(dispute)[step],
    type: debits.has(step) ? "DR" : "CR",
    amountMinor,
    relatedId: dispute.transId,
    description: descriptions[step],
  });
}
