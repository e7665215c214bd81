import type { EntryKind } from "../ledger/journal-entry.ts";
import { cardCredited, disputeDenied, disputeWon } from "../ledger/movements.ts";
import type { Posting } from "../ledger/postings.ts";
import { type CardSubject, newTransaction } from "../network-events/plan.ts";
import type { Transaction } from "../transactions/transaction.ts";
import type { Dispute } from "./dispute.ts";
import { type DisputeTypes, disputeTypesFor, type StatusTrigger } from "./transitions.ts";

const denying: ReadonlySet<StatusTrigger> = new Set(["lose", "withdraw", "reverse", "expire"]);

export function chooseEntryKind(trigger: StatusTrigger, isCredited: boolean): EntryKind {
  if (isCredited) return "provisional_credit";
  if (trigger === "win") return "dispute_won";
  if (trigger === "write_off") return "dispute_written_off";
  return denying.has(trigger) ? "dispute_denied" : "dispute_opened";
}

/** What a change of status moves: of what is disputed, and for the Card. */
export function disputePostings(
  { cardId, amountMinor }: Dispute,
  trigger: StatusTrigger,
  keptMinor: number,
  creditMinor: number,
): Posting[] {
  if (trigger === "win") return disputeWon(cardId, keptMinor, creditMinor);
  const ofCard = cardCredited(cardId, creditMinor);
  if (trigger === "write_off") return [...disputeDenied(keptMinor), ...ofCard];
  return denying.has(trigger) ? [...disputeDenied(amountMinor), ...ofCard] : ofCard;
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
export function disputeRecords(
  subject: CardSubject,
  before: Dispute,
  trigger: StatusTrigger,
  creditMinor: number,
): Transaction[] {
  const step = steps[trigger];
  const isUnrecorded = trigger === "submit" ? before.status !== "new" : before.status === "new";
  if (!step || isUnrecorded) return [];
  if (trigger !== "submit") return [disputeRecord(subject, before, step, Math.abs(creditMinor))];
  const opened = disputeRecord(subject, before, step, 0);
  return creditMinor === 0
    ? [opened]
    : [opened, disputeRecord(subject, before, "provisionalCredit", creditMinor)];
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
  dispute: Pick<Dispute, "transId" | "disputedType">,
  step: keyof DisputeTypes,
  amountMinor: number,
): Transaction {
  return newTransaction(subject, {
    transType: disputeTypesFor(dispute)[step],
    type: debits.has(step) ? "DR" : "CR",
    amountMinor,
    relatedId: dispute.transId,
    description: descriptions[step],
  });
}
