import type { DisputeStatus, DisputeTrigger } from "../contract/disputes.ts";
import { ChargebackDecision, TransactionType } from "../contract/enums.ts";
import { findTypeFacts } from "../contract/transaction-types.ts";
import { fromEach, leadsTo, type TransitionTable } from "../platform/table/transition.ts";

/** What changes the status. */
export type StatusTrigger = Exclude<DisputeTrigger, "create" | "change" | "credit">;

/** Every legal change of a dispute's status; the code and the documentation read this one table. */
export const disputeTransitions = [
  ...fromEach(["new", "pending_customer"], "submit", "submitted"),
  { from: "submitted", trigger: "request_evidence", to: "pending_customer" },
  { from: "submitted", trigger: "represent", to: "representment" },
  { from: "representment", trigger: "pre_arbitrate", to: "pre_arbitration" },
  { from: "pre_arbitration", trigger: "arbitrate", to: "arbitration" },
  ...fromEach(["submitted", "representment", "pre_arbitration", "arbitration"], "win", "won"),
  ...fromEach(["submitted", "representment", "pre_arbitration", "arbitration"], "lose", "lost"),
  ...fromEach(["submitted", "representment", "pre_arbitration", "arbitration"], "write_off", "lost"),
  ...fromEach(["new", "submitted", "pending_customer"], "withdraw", "withdrawn"),
  ...fromEach(["submitted", "representment"], "reverse", "withdrawn"),
  ...fromEach(["new", "pending_customer"], "expire", "expired"),
] as const satisfies TransitionTable<DisputeStatus, StatusTrigger>;

/** Those of a dispute that can still be won or lost. */
export const openStatuses: ReadonlySet<unknown> = new Set<DisputeStatus>([
  "new",
  "pending_customer",
  "submitted",
  "representment",
  "pre_arbitration",
  "arbitration",
]);

/** Undefined if the status does not permit it. */
export function nextStatus(from: DisputeStatus, trigger: StatusTrigger): DisputeStatus | undefined {
  return leadsTo<DisputeStatus, StatusTrigger>(disputeTransitions, from, trigger);
}

/** What the network means by a status. It neither creates nor submits a dispute. */
export const networkTriggers: Partial<Record<DisputeStatus, StatusTrigger>> = {
  pending_customer: "request_evidence",
  representment: "represent",
  pre_arbitration: "pre_arbitrate",
  arbitration: "arbitrate",
  won: "win",
  lost: "lose",
  withdrawn: "reverse",
  expired: "expire",
};

export const chargebackTriggers: Readonly<Record<ChargebackDecision, StatusTrigger>> = {
  [ChargebackDecision.represented]: "represent",
  [ChargebackDecision.won]: "win",
  [ChargebackDecision.lost]: "lose",
  [ChargebackDecision.writtenOff]: "write_off",
  [ChargebackDecision.reversed]: "reverse",
};

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

const typesByDisputed = { purchase: ofPurchase, pinDebit: ofPinDebit } as const;

const disputeTypes = new Set<unknown>([ofPurchase, ofPinDebit].flatMap((types) => Object.values(types)));

/** Whether it records a step of a dispute. */
export function isDisputeType(type: TransactionType): boolean {
  return disputeTypes.has(type);
}

/** Whether it records that the network paid. */
export function isWonDispute(type: TransactionType): boolean {
  return type === ofPurchase.won || type === ofPinDebit.won;
}

/** Undefined if the transaction cannot be disputed. */
export function findDisputeTypes(disputed: TransactionType): DisputeTypes | undefined {
  const { disputedAs } = findTypeFacts(disputed);
  return disputedAs && typesByDisputed[disputedAs];
}

/** @throws Error for a type that cannot be disputed */
export function disputeTypesFor({ disputedType }: { readonly disputedType: TransactionType }): DisputeTypes {
  const types = findDisputeTypes(disputedType);
  if (!types) throw new Error(`Transactions of the type ${disputedType} cannot be disputed.`);
  return types;
}
