import {
  ChargebackDecision,
  ChargebackStatus,
  TransactionStatus,
  TransactionType,
} from "../../contract/enums.ts";
import { timestamp } from "../../platform/clock.ts";
import { newId } from "../../platform/id.ts";
import {
  type Chargeback,
  type ChargebackTrigger,
  chargebackPut,
  chargebackUpdate,
  type DisputeTypes,
  disputeTypesOf,
  readChargeback,
} from "../disputes/chargeback.ts";
import { chargebackPaid, creditedProvisionally, debitedProvisionally } from "../ledger/card-movements.ts";
import type { EntryKind } from "../ledger/journal-entry.ts";
import type { Posting } from "../ledger/posting.ts";
import {
  readTransaction,
  reversedUpdate,
  type Transaction,
  transactionPut,
} from "../transactions/transaction.ts";
import { type CardEventOf, cardPlan, recordOf, type Subject } from "./card-plan.ts";
import { illegal, notFound, type Planned } from "./event-plan.ts";

/**
 * A purchase or an ATM withdrawal is disputed, once: noted (4 or 42), and the amount is credited until the dispute is decided (6 or 44).
 */
export async function planChargeback(subject: Subject<CardEventOf<"chargeback">>): Promise<Planned> {
  const { event, identity, at } = subject;
  const { programId, cardId } = identity;
  const disputed = await readTransaction(programId, cardId, event.transId);
  if (!disputed) return notFound;
  const amountMinor = event.amount ?? disputed.amountMinor;
  const types = disputeTypesOf(disputed.transType);
  if (!types || amountMinor > disputed.amountMinor) return illegal;
  const chargeback: Chargeback = {
    programId,
    chargebackId: event.chargebackId ?? newId("chargeback"),
    cardId,
    transId: disputed.transId,
    disputedType: disputed.transType,
    amountMinor,
    status: ChargebackStatus.open,
    createdAt: timestamp(at),
  };
  const { chargebackId } = chargeback;
  const { transId: relatedId } = disputed;
  const note = disputeRecord(subject, types, "opened", { type: "CR", amountMinor: 0, relatedId });
  const credit = disputeRecord(subject, types, "provisionalCredit", { type: "CR", amountMinor, relatedId });
  return cardPlan({
    subject,
    entryKind: "provisional_credit",
    postings: creditedProvisionally(cardId, amountMinor),
    relatedId: chargebackId,
    writes: [
      reversedUpdate(disputed, chargebackId),
      chargebackPut(chargeback),
      transactionPut(note),
      transactionPut(credit),
    ],
    tell: "transaction.posted",
    detail: { transaction: credit, note, chargeback },
    result: { amount: amountMinor, transId: credit.transId, chargebackId },
    again: () => illegal,
  });
}

interface Outcome {
  readonly trigger: ChargebackTrigger;
  readonly step: keyof DisputeTypes;
  readonly type: Transaction["type"];
  /** Only what takes the advance back changes the card's balance. */
  readonly takesBack: boolean;
  readonly entryKind: EntryKind;
  readonly postings: (card: string, amountMinor: number) => Posting[];
}

const noPostings = () => [];

const outcomes = {
  [ChargebackDecision.represented]: {
    trigger: "represent",
    step: "represented",
    type: "DR",
    takesBack: false,
    entryKind: "chargeback_won",
    postings: noPostings,
  },
  [ChargebackDecision.won]: {
    trigger: "win",
    step: "won",
    type: "CR",
    takesBack: false,
    entryKind: "chargeback_won",
    postings: chargebackPaid,
  },
  [ChargebackDecision.lost]: {
    trigger: "lose",
    step: "provisionalDebit",
    type: "DR",
    takesBack: true,
    entryKind: "provisional_debit",
    postings: debitedProvisionally,
  },
  [ChargebackDecision.writtenOff]: {
    trigger: "writeOff",
    step: "writtenOff",
    type: "CR",
    takesBack: false,
    entryKind: "chargeback_won",
    postings: noPostings,
  },
  [ChargebackDecision.reversed]: {
    trigger: "reverse",
    step: "reversed",
    type: "DR",
    takesBack: true,
    entryKind: "provisional_debit",
    postings: debitedProvisionally,
  },
} as const satisfies Record<CardEventOf<"chargeback_outcome">["status"], Outcome>;

/** The dispute goes on or ends: the Cardholder keeps the credit when it is won or written off, and loses it when it is lost or withdrawn. */
export async function planChargebackOutcome(
  subject: Subject<CardEventOf<"chargeback_outcome">>,
): Promise<Planned> {
  const { event, identity, at } = subject;
  const { cardId } = identity;
  const chargeback = await readChargeback(identity.programId, event.chargebackId);
  if (!chargeback) return notFound;
  if (chargeback.cardId !== cardId) return illegal;
  const types = disputeTypesOf(chargeback.disputedType ?? TransactionType.authorization_clearing);
  if (!types) throw new Error(`The chargeback ${chargeback.chargebackId} is of what cannot be disputed.`);
  const { trigger, step, type, takesBack, entryKind, postings } = outcomes[event.status];
  const amountMinor = takesBack ? chargeback.amountMinor : 0;
  const transaction = disputeRecord(subject, types, step, {
    type,
    amountMinor,
    relatedId: chargeback.transId,
  });
  const { transId } = transaction;
  const { chargebackId } = chargeback;
  return cardPlan({
    subject,
    entryKind,
    postings: postings(cardId, chargeback.amountMinor),
    relatedId: chargebackId,
    writes: [chargebackUpdate(chargeback, trigger, at), transactionPut(transaction)],
    tell: takesBack ? "transaction.posted" : "transaction.noted",
    detail: { transaction, chargeback: { ...chargeback, status: event.status } },
    result: { amount: amountMinor, transId, chargebackId },
    again: () => illegal,
  });
}

const descriptionOf: DisputeTypes<string> = {
  opened: "Chargeback",
  won: "Chargeback won",
  provisionalCredit: "Provisional credit",
  provisionalDebit: "Provisional debit",
  reversed: "Chargeback reversed",
  writtenOff: "Chargeback written off",
  represented: "Representment",
};

function disputeRecord(
  subject: Subject,
  types: DisputeTypes,
  step: keyof DisputeTypes,
  fields: Pick<Transaction, "type" | "amountMinor" | "relatedId">,
): Transaction {
  return recordOf(subject, {
    ...fields,
    transType: types[step],
    transStatus: TransactionStatus.completion,
    description: descriptionOf[step],
  });
}
