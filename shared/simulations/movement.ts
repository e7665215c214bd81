import { TransactionStatus, TransactionType } from "../contract/enums.ts";
import { balanceChanges } from "../ledger/postings.ts";
import { bookedTo, parseEntry } from "../ledger/stored-entry.ts";
import type { CardEvent } from "../network-events/card-event.ts";
import { silentEvents } from "../network-events/silent-event.ts";
import { withoutPrefix } from "../platform/id.ts";
import { defined } from "../platform/pick.ts";
import { type SentEvent, type Transaction, transactions } from "../transactions/transaction.ts";

type Item = Readonly<Record<string, unknown>>;

/** A record of a Card or Wallet: an event to decide again, or money that moves as it did. */
export interface Movement {
  readonly cardId: string;
  /** The Wallet that it moves, in place of the Card. */
  readonly walletId?: string | undefined;
  /** The Wallet that paid what the record is of. */
  readonly fundingWalletId?: string | undefined;
  readonly atMs: number;
  /** The record's ULID: the order within a millisecond. */
  readonly ulid: string;
  /** What it changed the available balance by. */
  readonly availableMinor: number;
  /** The fee that was charged with it. */
  readonly feeMinor: number;
  readonly event?: CardEvent;
  /** When the platform's own expiry was due. */
  readonly dueAt?: string | undefined;
  readonly transId?: string;
  readonly declineReason?: string | undefined;
  /** What a receiver, or its stand-in, approved: 0 if it declined. */
  readonly approvedMinor?: number | undefined;
  /** Replaced by the event that was asked about. */
  readonly isReservation?: boolean;
  /** The fee that it charged, and the record that it is about. */
  readonly feeId?: string | undefined;
  readonly relatedId?: string | undefined;
}

/** How the record of an authorization was decided. */
type Decided = Pick<Transaction, "transStatus" | "amountMinor">;

export interface StoredMovement {
  readonly movement: Movement;
  /** Only a transaction has it. */
  readonly decided?: Decided;
}

/** Undefined for what a simulation needs not know. */
export function toMovement(programId: string, cardId: string, item: Item): StoredMovement | undefined {
  const ulid = withoutPrefix(String(item.sk));
  const base = { cardId, ulid, availableMinor: 0, feeMinor: 0 };
  if (String(item.sk).startsWith("REFUSED#")) {
    const { authorizationId, event, createdAt } = silentEvents.parse(item);
    const sent = toEvent(event, { programId, cardId, authorizationId, transDate: event.occurredAt });
    const { srcCurrency } = event;
    const converted = { ...sent, ...(srcCurrency !== undefined && { srcCurrency }) };
    return { movement: { ...base, atMs: Date.parse(createdAt), event: converted } };
  }
  const entry = parseEntry(item);
  const availableMinor = balanceChanges(entry?.postings ?? []).get(cardId)?.availableMinor ?? 0;
  const atMs = Date.parse(String(item.createdAt));
  const transaction = String(item.sk).startsWith("TRANSACTION#") ? transactions.parse(item) : undefined;
  const sent = transaction?.event;
  if (!transaction || !sent) {
    const { relatedId } = transaction ?? {};
    const isReservation = entry?.kind === "hold_reserved";
    return availableMinor === 0
      ? undefined
      : { movement: { ...base, atMs, availableMinor, relatedId, isReservation } };
  }
  const feeMinor = bookedTo(entry, "fee_income");
  const { transId, transType, transStatus, declineReason, feeId } = transaction;
  const isDeclined = transStatus === TransactionStatus.declined;
  const isWithdrawal = transType === TransactionType.pindebit_atm_withdrawal;
  const event = toEvent(isWithdrawal ? { ...sent, feeAmount: feeMinor } : sent, transaction);
  // A later fee of a withdrawal is planned again, that of a conversion is known.
  const isOfCash = transType === TransactionType.pindebit_authorization_clearing;
  const isAsked = transaction.decidedBy === "receiver" || transaction.decidedBy === "stand_in";
  const approvedMinor = isAsked ? (isDeclined ? 0 : transaction.amountMinor) : undefined;
  const { fundingWalletId } = transaction;
  const known = { transId, declineReason, approvedMinor, feeId, fundingWalletId, dueAt: sent.dueAt };
  const { amountMinor } = transaction;
  return {
    movement: { ...base, atMs, availableMinor, feeMinor: isOfCash ? 0 : feeMinor, event, ...known },
    decided: { transStatus, amountMinor },
  };
}

/** A Card's record has no entry where a Wallet paid: its fee says what was charged. */
export function withFee(stored: StoredMovement, feeMinor: number): StoredMovement {
  const { event } = stored.movement;
  if (!event) return stored;
  const charged = event.kind === "atm_withdrawal" ? { ...event, feeAmount: feeMinor } : event;
  return { ...stored, movement: { ...stored.movement, feeMinor, event: charged } };
}

type EventOwner = Pick<Transaction, "programId" | "cardId"> & Partial<Transaction>;

/** The event as it was sent, as far as decisions depend on it. */
function toEvent(sent: SentEvent, owner: EventOwner): CardEvent {
  const { programId, cardId, authorizationId, mcc, merchantId, merchantCountry } = owner;
  const { dueAt: _, srcCurrency, ...fields } = sent;
  const occurredAt = sent.total ? sent.occurredAt : owner.transDate;
  return {
    standIn: owner.transType === TransactionType.authorization_standin,
    ...fields,
    ...defined({ occurredAt, authorizationId, mcc, merchantId, merchantCountry }),
    // The fee of a conversion is known: it is not computed again.
    ...(fields.kind !== "clearing" && srcCurrency !== undefined && { srcCurrency }),
    eventId: "",
    programId,
    cardId,
  } as unknown as CardEvent;
}
