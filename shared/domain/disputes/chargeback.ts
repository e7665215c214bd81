import * as z from "zod";
import { ChargebackStatus, TransactionType } from "../../contract/enums.ts";
import { integerEnum } from "../../contract/primitives.ts";
import { timestamp } from "../../platform/clock.ts";
import { oneOf } from "../../platform/table/condition.ts";
import { defineEntity } from "../../platform/table/entity.ts";
import { issuingKey } from "../../platform/table/keys.ts";
import type { WriteAction } from "../../platform/table/transact.ts";
import { findStep, type TransitionTable } from "../../platform/table/transition.ts";

/**
 * - represent: the merchant contests it
 * - win, lose: the network decides for or against the Cardholder
 * - writeOff: the Program bears the loss and lets the Cardholder keep the money
 * - reverse: the chargeback is withdrawn
 */
export type ChargebackTrigger = "represent" | "win" | "lose" | "writeOff" | "reverse";

export const chargebackTransitions = [
  { from: ChargebackStatus.open, trigger: "represent", to: ChargebackStatus.represented },
  { from: ChargebackStatus.open, trigger: "win", to: ChargebackStatus.won },
  { from: ChargebackStatus.represented, trigger: "win", to: ChargebackStatus.won },
  { from: ChargebackStatus.open, trigger: "lose", to: ChargebackStatus.lost },
  { from: ChargebackStatus.represented, trigger: "lose", to: ChargebackStatus.lost },
  { from: ChargebackStatus.open, trigger: "writeOff", to: ChargebackStatus.writtenOff },
  { from: ChargebackStatus.represented, trigger: "writeOff", to: ChargebackStatus.writtenOff },
  { from: ChargebackStatus.open, trigger: "reverse", to: ChargebackStatus.reversed },
  { from: ChargebackStatus.represented, trigger: "reverse", to: ChargebackStatus.reversed },
] as const satisfies TransitionTable<ChargebackStatus, ChargebackTrigger>;

/** A disputed transaction. The card has a provisional credit of `amountMinor`. */
const Chargeback = z.object({
  programId: z.string(),
  chargebackId: z.string(),
  cardId: z.string(),
  transId: z.string(),
  /** Its type; a purchase if absent. */
  disputedType: integerEnum(TransactionType).optional(),
  amountMinor: z.int(),
  status: integerEnum(ChargebackStatus),
  createdAt: z.string(),
  changedAt: z.string().optional(),
});
export type Chargeback = Readonly<z.output<typeof Chargeback>>;

export const chargebacks = defineEntity({
  name: "chargeback",
  table: "issuing",
  schema: Chargeback,
  key: issuingKey.chargeback,
});

/** Requires, as `chargeback`, a status that permits the trigger. */
export function chargebackUpdate(
  { programId, chargebackId }: Chargeback,
  trigger: ChargebackTrigger,
  at: Date,
): WriteAction {
  const { from, to: status } = findStep(chargebackTransitions, trigger);
  const change = { set: { status, changedAt: timestamp(at) } };
  return chargebacks.at(programId, chargebackId).update(change, { status: oneOf(from) });
}

export interface DisputeTypes<T = TransactionType> {
  readonly opened: T;
  readonly provisionalCredit: T;
  readonly represented: T;
  readonly won: T;
  readonly provisionalDebit: T;
  readonly writtenOff: T;
  readonly reversed: T;
}

const ofPurchase: DisputeTypes = {
  opened: TransactionType.authorization_clearing_chargeback,
  provisionalCredit: TransactionType.authorization_clearing_chargeback_provisional_credit,
  represented: TransactionType.authorization_clearing_representment,
  won: TransactionType.authorization_clearing_chargeback_completed,
  provisionalDebit: TransactionType.authorization_clearing_chargeback_provisional_debit,
  writtenOff: TransactionType.authorization_clearing_chargeback_writeoff,
  reversed: TransactionType.authorization_clearing_chargeback_reversal,
};

const ofPinDebit: DisputeTypes = {
  opened: TransactionType.pindebit_chargeback,
  provisionalCredit: TransactionType.pindebit_chargeback_provisional_credit,
  // PIN debits have no type for a representment: it repeats the chargeback's.
  represented: TransactionType.pindebit_chargeback,
  won: TransactionType.pindebit_chargeback_completed,
  provisionalDebit: TransactionType.pindebit_chargeback_provisional_debit,
  writtenOff: TransactionType.pindebit_chargeback_writeoff,
  reversed: TransactionType.pindebit_chargeback_reversal,
};

const typesByDisputed: Partial<Record<TransactionType, DisputeTypes>> = {
  [TransactionType.authorization_clearing]: ofPurchase,
  [TransactionType.pindebit]: ofPinDebit,
  [TransactionType.pindebit_atm_withdrawal]: ofPinDebit,
  [TransactionType.pindebit_authorization_clearing]: ofPinDebit,
  [TransactionType.pindebit_cashback]: ofPinDebit,
  [TransactionType.pindebit_transfer]: ofPinDebit,
  [TransactionType.pindebit_cashwithdrawal]: ofPinDebit,
};

/** Undefined if the transaction cannot be disputed. */
export function findDisputeTypes(disputed: TransactionType): DisputeTypes | undefined {
  return typesByDisputed[disputed];
}
