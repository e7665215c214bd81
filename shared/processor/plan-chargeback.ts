import { timestamp } from "../clock.ts";
import { TransactionStatus } from "../contract/enums.ts";
import type { TransactionType } from "../contract/transactions.ts";
import {
  type Chargeback,
  ChargebackStatus,
  type ChargebackTrigger,
  chargebackPut,
  chargebackUpdate,
  readChargeback,
} from "../dispute/chargeback.ts";
import { newId } from "../id.ts";
import { chargebackPaid, creditedProvisionally, debitedProvisionally } from "../ledger/card-movements.ts";
import type { EntryKind } from "../ledger/journal-entry.ts";
import type { Posting } from "../ledger/posting.ts";
import {
  readTransaction,
  reversedUpdate,
  type Transaction,
  transactionPut,
} from "../transaction/transaction.ts";
import { type CardEventOf, cardPlan, recordOf, type Subject } from "./card-plan.ts";
import { illegal, notFound, type Planned } from "./event-plan.ts";

/** Purchases and ATM withdrawals can be disputed. */
const disputedTypes: readonly TransactionType[] = [3, 36];

/** A posted debit is disputed, once: noted (4), and the amount is credited until the dispute is decided (6). */
export async function planChargeback(subject: Subject<CardEventOf<"chargeback">>): Promise<Planned> {
  const { event, identity, at } = subject;
  const { programId, cardId } = identity;
  const disputed = await readTransaction(programId, cardId, event.transId);
  if (!disputed) return notFound;
  const amountMinor = event.amount ?? disputed.amountMinor;
  if (!disputedTypes.includes(disputed.transType) || amountMinor > disputed.amountMinor) return illegal;
  const chargeback: Chargeback = {
    programId,
    chargebackId: event.chargebackId ?? newId("chargeback"),
    cardId,
    transId: disputed.transId,
    amountMinor,
    status: ChargebackStatus.open,
    createdAt: timestamp(at),
  };
  const { chargebackId } = chargeback;
  const note = disputeRecord(subject, disputed.transId, { transType: 4, type: "CR", amountMinor: 0 });
  const credit = disputeRecord(subject, disputed.transId, { transType: 6, type: "CR", amountMinor });
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
  readonly transType: TransactionType;
  readonly type: Transaction["type"];
  /** Only what takes the advance back changes the card's balance. */
  readonly takesBack: boolean;
  readonly entryKind: EntryKind;
  readonly postings: (card: string, amountMinor: number) => Posting[];
}

const noPostings = () => [];

const outcomes = {
  1: {
    trigger: "represent",
    transType: 10,
    type: "DR",
    takesBack: false,
    entryKind: "chargeback_won",
    postings: noPostings,
  },
  2: {
    trigger: "win",
    transType: 5,
    type: "CR",
    takesBack: false,
    entryKind: "chargeback_won",
    postings: chargebackPaid,
  },
  3: {
    trigger: "lose",
    transType: 7,
    type: "DR",
    takesBack: true,
    entryKind: "provisional_debit",
    postings: debitedProvisionally,
  },
  4: {
    trigger: "writeOff",
    transType: 9,
    type: "CR",
    takesBack: false,
    entryKind: "chargeback_won",
    postings: noPostings,
  },
  5: {
    trigger: "reverse",
    transType: 8,
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
  const { trigger, transType, type, takesBack, entryKind, postings } = outcomes[event.status];
  const amountMinor = takesBack ? chargeback.amountMinor : 0;
  const transaction = disputeRecord(subject, chargeback.transId, { transType, type, amountMinor });
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

const descriptionOf: Partial<Record<TransactionType, string>> = {
  4: "Chargeback",
  5: "Chargeback won",
  6: "Provisional credit",
  7: "Provisional debit",
  8: "Chargeback reversed",
  9: "Chargeback written off",
  10: "Representment",
};

function disputeRecord(
  subject: Subject,
  relatedId: string,
  fields: Pick<Transaction, "transType" | "type" | "amountMinor">,
): Transaction {
  const description = descriptionOf[fields.transType] ?? "Chargeback";
  return recordOf(subject, {
    ...fields,
    transStatus: TransactionStatus.completion,
    description,
    relatedId,
  });
}
