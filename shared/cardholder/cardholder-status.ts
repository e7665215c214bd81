import { ApiError } from "../api-error.ts";
import { now } from "../clock.ts";
import { environment } from "../environment.ts";
import { outboxPut } from "../outbox/outbox-put.ts";
import { issuingKey } from "../table/keys.ts";
import type { StoredItem, WriteAction } from "../table/transact.ts";
import { compileTransition } from "../table/transition.ts";
import { type CardholderTrigger, cardholderTransitions } from "./cardholder-transitions.ts";

/** What more must hold of, or change on, the Cardholder's item along with its status. */
export interface CardholderChange {
  /** An expression over `names` and `values`, beside the one that the transition table gives. */
  readonly condition?: string;
  readonly set?: Readonly<Record<string, string>>;
  readonly remove?: readonly string[];
  readonly values?: Readonly<Record<string, string | number>>;
}

/**
 * The writes of a status change: the Cardholder (named `cardholder`), where its status permits the trigger, and the event that
 * speaks of it. To be committed in one transaction.
 */
export function changeCardholderStatus(
  programId: string,
  cardholderId: string,
  trigger: CardholderTrigger,
  { condition, set = {}, remove = [], values = {} }: CardholderChange = {},
): WriteAction[] {
  const transition = compileTransition(cardholderTransitions, trigger, "status");
  const sets = ["#status = :status", ...Object.keys(set).map((attribute) => `${attribute} = :${attribute}`)];
  const removal = remove.length > 0 ? ` REMOVE ${remove.join(", ")}` : "";
  return [
    {
      name: "cardholder",
      Update: {
        TableName: environment.issuingTable,
        Key: issuingKey.cardholder(programId, cardholderId),
        UpdateExpression: `SET ${sets.join(", ")}${removal}`,
        ConditionExpression: [transition.condition, ...(condition ? [condition] : [])].join(" AND "),
        ExpressionAttributeNames: transition.names,
        ExpressionAttributeValues: {
          ...transition.values,
          ...Object.fromEntries(Object.entries(set).map(([attribute, value]) => [`:${attribute}`, value])),
          ...values,
        },
      },
    },
    outboxPut(programId, "cardholder.status_changed", { cardholderId, status: transition.to }, now()),
  ];
}

/** Why the Cardholder's status was not changed, from the item that its condition met. */
export function cardholderRefusal(stored: StoredItem): ApiError {
  return new ApiError(stored === undefined ? "NOT_FOUND" : "ILLEGAL_TRANSITION");
}
