import { ChargebackStatus, TransactionType } from "../../contract/enums.ts";
import { timestamp } from "../../platform/clock.ts";
import { newId } from "../../platform/id.ts";
import {
  type Chargeback,
  type ChargebackTrigger,
  chargebacks,
  chargebackTransitions,
  chargebackUpdate,
  type DisputeTypes,
  findDisputeTypes,
} from "../disputes/chargeback.ts";
import {
  chargebackPaid,
  type Posting,
  provisionalCreditPosted,
  provisionalCreditReversed,
} from "../ledger/postings.ts";
import { reversedUpdate, type Transaction, transactionPut } from "../transactions/transaction.ts";
import {
  type CardEventOf,
  type CardPlan,
  type CardSubject,
  illegal,
  newTransaction,
  notFound,
  type Rejected,
} from "./plan.ts";

/** Disputes a purchase or an ATM withdrawal, once. The Program advances the amount. */
export function planChargeback(subject: CardSubject<CardEventOf<"chargeback">>): CardPlan | Rejected {
  const { event, card, at, transaction: disputed } = subject;
  const { programId, cardId } = card;
  if (!disputed) return notFound;
  const amountMinor = event.amount ?? disputed.amountMinor;
  const types = findDisputeTypes(disputed.transType);
  const isWithin = amountMinor > 0 && amountMinor <= disputed.amountMinor;
  const isDisputable = types && isWithin && disputed.reversedBy === undefined;
  if (!isDisputable || subject.chargeback) return illegal;
  const { transId: relatedId } = disputed;
  const chargeback: Chargeback = {
    programId,
    chargebackId: event.chargebackId ?? newId("chargeback"),
    cardId,
    transId: relatedId,
    disputedType: disputed.transType,
    amountMinor,
    status: ChargebackStatus.open,
    createdAt: timestamp(at),
  };
  const { chargebackId } = chargeback;
  const note = disputeRecord(subject, types, "opened", { type: "CR", amountMinor: 0, relatedId });
  return {
    transaction: disputeRecord(subject, types, "provisionalCredit", { type: "CR", amountMinor, relatedId }),
    entryKind: "provisional_credit",
    postings: provisionalCreditPosted(cardId, amountMinor),
    relatedId: chargebackId,
    writes: [
      reversedUpdate(disputed, chargebackId),
      chargebacks.at(programId, chargeback.chargebackId).create(chargeback),
      transactionPut(note),
    ],
    outboxKind: "transaction.posted",
    detail: { note, chargeback },
    result: { amount: amountMinor, chargebackId },
  };
}

interface Outcome {
  readonly trigger: ChargebackTrigger;
  readonly step: keyof DisputeTypes;
  readonly type: Transaction["type"];
  /** The Program takes its advance back, which changes the card's balance. */
  readonly reversesCredit?: boolean;
}

const outcomes: Record<CardEventOf<"chargeback_outcome">["status"], Outcome> = {
  [ChargebackStatus.represented]: { trigger: "represent", step: "represented", type: "DR" },
  [ChargebackStatus.won]: { trigger: "win", step: "won", type: "CR" },
  [ChargebackStatus.lost]: { trigger: "lose", step: "provisionalDebit", type: "DR", reversesCredit: true },
  [ChargebackStatus.writtenOff]: { trigger: "writeOff", step: "writtenOff", type: "CR" },
  [ChargebackStatus.reversed]: { trigger: "reverse", step: "reversed", type: "DR", reversesCredit: true },
};

function outcomePostings({ trigger, reversesCredit }: Outcome, card: string, amountMinor: number): Posting[] {
  if (reversesCredit) return provisionalCreditReversed(card, amountMinor);
  return trigger === "win" ? chargebackPaid(card, amountMinor) : [];
}

/** Continues or ends a dispute. If won or written off, the Cardholder keeps the credit. */
export function planChargebackOutcome(
  subject: CardSubject<CardEventOf<"chargeback_outcome">>,
): CardPlan | Rejected {
  const { event, card, at, chargeback } = subject;
  if (!chargeback) return notFound;
  const { chargebackId, amountMinor, disputedType, status } = chargeback;
  const outcome = outcomes[event.status];
  const { trigger, step, type, reversesCredit = false } = outcome;
  const isLegal = chargebackTransitions.some((one) => one.from === status && one.trigger === trigger);
  if (chargeback.cardId !== card.cardId || !isLegal) return illegal;
  const types = findDisputeTypes(disputedType ?? TransactionType.authorization_clearing);
  if (!types) throw new Error(`The chargeback ${chargebackId} is of a type that cannot be disputed.`);
  const movedMinor = reversesCredit ? amountMinor : 0;
  const fields = { type, amountMinor: movedMinor, relatedId: chargeback.transId };
  return {
    transaction: disputeRecord(subject, types, step, fields),
    entryKind: reversesCredit ? "provisional_debit" : "chargeback_won",
    postings: outcomePostings(outcome, card.cardId, amountMinor),
    relatedId: chargebackId,
    writes: [chargebackUpdate(chargeback, trigger, at)],
    outboxKind: reversesCredit ? "transaction.posted" : "transaction.noted",
    detail: { chargeback: { ...chargeback, status: event.status } },
    result: { amount: movedMinor, chargebackId },
  };
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

function disputeRecord(
  subject: CardSubject,
  types: DisputeTypes,
  step: keyof DisputeTypes,
  fields: Pick<Transaction, "type" | "amountMinor" | "relatedId">,
): Transaction {
  return newTransaction(subject, {
    ...fields,
    transType: types[step],
    description: descriptions[step],
  });
}
