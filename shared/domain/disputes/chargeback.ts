import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { ChargebackStatus, TransactionType } from "../../contract/enums.ts";
import { timestamp } from "../../platform/clock.ts";
import { environment } from "../../platform/environment.ts";
import { table } from "../../platform/table/client.ts";
import { issuingKey } from "../../platform/table/keys.ts";
import type { WriteAction } from "../../platform/table/transact.ts";
import { compileTransition, type TransitionTable } from "../../platform/table/transition.ts";

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
export interface Chargeback {
  readonly programId: string;
  readonly chargebackId: string;
  readonly cardId: string;
  readonly transId: string;
  /** Its type; a purchase if absent. */
  readonly disputedType?: TransactionType;
  readonly amountMinor: number;
  readonly status: ChargebackStatus;
  readonly createdAt: string;
}

/** The condition is named `chargeback`. */
export function chargebackPut(chargeback: Chargeback): WriteAction {
  return {
    name: "chargeback",
    Put: {
      TableName: environment.issuingTable,
      Item: { ...issuingKey.chargeback(chargeback.programId, chargeback.chargebackId), ...chargeback },
      ConditionExpression: "attribute_not_exists(pk)",
    },
  };
}

/** Requires, as `chargeback`, a status that permits the trigger. */
export function chargebackUpdate(
  { programId, chargebackId }: Chargeback,
  trigger: ChargebackTrigger,
  at: Date,
): WriteAction {
  const { condition, names, values } = compileTransition(chargebackTransitions, trigger, "status");
  return {
    name: "chargeback",
    Update: {
      TableName: environment.issuingTable,
      Key: issuingKey.chargeback(programId, chargebackId),
      UpdateExpression: "SET #status = :status, changedAt = :changedAt",
      ConditionExpression: condition,
      ExpressionAttributeNames: names,
      ExpressionAttributeValues: { ...values, ":changedAt": timestamp(at) },
    },
  };
}

export async function readChargeback(
  programId: string,
  chargebackId: string,
): Promise<Chargeback | undefined> {
  const { Item } = await table.send(
    new GetCommand({
      TableName: environment.issuingTable,
      Key: issuingKey.chargeback(programId, chargebackId),
      ConsistentRead: true,
    }),
  );
  return Item as Chargeback | undefined;
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
export function disputeTypesOf(disputed: TransactionType): DisputeTypes | undefined {
  return typesByDisputed[disputed];
}
