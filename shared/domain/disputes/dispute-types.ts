import { TransactionType } from "../../contract/transactions.ts";

/** For each step of a dispute, the transaction type that it is recorded as. */
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
  // PIN debits have no code of their own for a representment: the chargeback is noted once more.
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

/** How disputes of such a transaction are recorded; undefined where it cannot be disputed. */
export function disputeTypesOf(disputed: TransactionType): DisputeTypes | undefined {
  return typesByDisputed[disputed];
}
