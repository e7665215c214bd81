import { GetCommand } from "@aws-sdk/lib-dynamodb";
import type { TransactionType } from "../../contract/transactions.ts";
import { timestamp } from "../../platform/clock.ts";
import { environment } from "../../platform/environment.ts";
import { table } from "../../platform/table/client.ts";
import { issuingKey } from "../../platform/table/keys.ts";
import type { WriteAction } from "../../platform/table/transact.ts";
import { compileTransition, type TransitionTable } from "../../platform/table/transition.ts";

export const ChargebackStatus = {
  open: 0,
  represented: 1,
  won: 2,
  lost: 3,
  writtenOff: 4,
  reversed: 5,
} as const;
export type ChargebackStatus = (typeof ChargebackStatus)[keyof typeof ChargebackStatus];

/**
 * - represent: the merchant contests it
 * - win, lose: the network decides for or against the Cardholder
 * - writeOff: the Program bears the loss and lets the Cardholder keep the money
 * - reverse: the chargeback is withdrawn
 */
export type ChargebackTrigger = "represent" | "win" | "lose" | "writeOff" | "reverse";

/** Every legal change of a chargeback's status; the code and the documentation read this one table. */
export const chargebackTransitions = [
  { from: 0, trigger: "represent", to: 1 },
  { from: 0, trigger: "win", to: 2 },
  { from: 1, trigger: "win", to: 2 },
  { from: 0, trigger: "lose", to: 3 },
  { from: 1, trigger: "lose", to: 3 },
  { from: 0, trigger: "writeOff", to: 4 },
  { from: 1, trigger: "writeOff", to: 4 },
  { from: 0, trigger: "reverse", to: 5 },
  { from: 1, trigger: "reverse", to: 5 },
] as const satisfies TransitionTable<ChargebackStatus, ChargebackTrigger>;

/** A disputed transaction. The card has been credited `amountMinor` provisionally since it was opened. */
export interface Chargeback {
  readonly programId: string;
  readonly chargebackId: string;
  readonly cardId: string;
  /** The transaction that is disputed. */
  readonly transId: string;
  /** Its type; a purchase where it is absent. */
  readonly disputedType?: TransactionType;
  readonly amountMinor: number;
  readonly status: ChargebackStatus;
  readonly createdAt: string;
}

/** Opens a chargeback. The refusal is named `chargeback`. */
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

/** Changes a chargeback's status where it permits the trigger. The refusal is named `chargeback`. */
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

/** The chargeback as it is now, consistently read; undefined where the Program has none by this id. */
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
