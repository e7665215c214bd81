import { TransactionType } from "./enums.ts";
import type { TransactionGroup } from "./notifications.ts";

interface TypeFacts {
  /** Lists leave it out: holds have one line, releases post nothing, a reversed deposit is gone. */
  readonly isUnlisted?: true;
  /** It adds to what its authorization holds. */
  readonly isHeld?: true;
  /** The network settles it, by files or events. */
  readonly isSettled?: true;
  /** How it is disputed. Absent: it cannot be. */
  readonly disputedAs?: "purchase" | "pinDebit";
  /** Its notification's `txnGroup`. Default: `PURCHASE`. */
  readonly group?: TransactionGroup;
  /** It reverses an earlier posting. */
  readonly isReversal?: true;
  /** The Program moves it itself, without the network. */
  readonly isOwn?: true;
}

const credit = { group: "CREDITVOUCHER" } as const;
const takenBack = { ...credit, isReversal: true } as const;
const cash = { isSettled: true, group: "CASHADVANCE" } as const;

/** A type without a row is listed, not of the network's files, not disputed, and no reversal. */
const typeFacts: Partial<Record<TransactionType, TypeFacts>> = {
  [TransactionType.authorization]: { isUnlisted: true, isHeld: true },
  [TransactionType.authorization_advice]: { isUnlisted: true, isHeld: true },
  [TransactionType.authorization_standin]: { isUnlisted: true, isHeld: true },
  [TransactionType.authorization_incremental]: { isUnlisted: true, isHeld: true },
  [TransactionType.authorization_reversal]: { isUnlisted: true },
  [TransactionType.authorization_reversal_issuerexpiration]: { isUnlisted: true },
  [TransactionType.authorizationexpiry]: { isUnlisted: true },
  [TransactionType.gpa_credit_pending_reversal]: { isUnlisted: true },
  [TransactionType.authorization_clearing]: { isSettled: true, disputedAs: "purchase" },
  [TransactionType.refund]: { ...credit, isSettled: true },
  [TransactionType.returnreversal]: { ...takenBack, isSettled: true },
  [TransactionType.pindebit_atm_withdrawal]: { ...cash, disputedAs: "pinDebit" },
  [TransactionType.pindebit_authorization_clearing]: { ...cash, disputedAs: "pinDebit" },
  [TransactionType.pindebit_reversal]: { ...cash, isReversal: true },
  [TransactionType.pindebit]: { disputedAs: "pinDebit" },
  [TransactionType.pindebit_cashback]: { disputedAs: "pinDebit" },
  [TransactionType.pindebit_transfer]: { disputedAs: "pinDebit" },
  [TransactionType.pindebit_cashwithdrawal]: { disputedAs: "pinDebit" },
  [TransactionType.authorization_clearing_chargeback_provisional_credit]: credit,
  [TransactionType.authorization_clearing_chargeback_provisional_debit]: takenBack,
  [TransactionType.authorization_clearing_chargeback_reversal]: takenBack,
  [TransactionType.pindebit_chargeback_provisional_credit]: credit,
  [TransactionType.pindebit_chargeback_provisional_debit]: takenBack,
  [TransactionType.pindebit_chargeback_reversal]: takenBack,
  [TransactionType.fee_charge]: { group: "FEES" },
  [TransactionType.fee_charge_reversal]: { group: "FEES", isReversal: true },
  [TransactionType.card_load]: { isOwn: true, group: "PAYMENT" },
  [TransactionType.card_unload]: { isOwn: true, group: "PAYMENT" },
  [TransactionType.clear_negative_balance]: { isOwn: true, group: "PAYMENT" },
};

export function findTypeFacts(type: TransactionType): TypeFacts {
  return typeFacts[type] ?? {};
}
