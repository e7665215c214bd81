import type { CardholderStatus } from "../../contract/enums.ts";
import { listedChange } from "../../lists/change-row.ts";
import { now } from "../../platform/clock.ts";
import { environment } from "../../platform/environment.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import { outboxPut } from "../../platform/outbox/outbox-put.ts";
import { issuingKey } from "../../platform/table/keys.ts";
import { Conflict, retry } from "../../platform/table/retry.ts";
import { type StoredItem, transact, type WriteAction } from "../../platform/table/transact.ts";
import { compileTransition } from "../../platform/table/transition.ts";
import type { Cardholder } from "./cardholder.ts";
import { type CardholderTrigger, cardholderTransitions } from "./cardholder-transitions.ts";

/** What more must hold of, or change on, the Cardholder's item along with its status. */
export interface CardholderChange {
  /** An expression over `names` and `values`, beside the one that the transition table gives. */
  readonly condition?: string;
  readonly set?: Readonly<Record<string, string>>;
  readonly remove?: readonly string[];
  readonly values?: Readonly<Record<string, string | number>>;
  /** What else the transaction writes. */
  readonly writes?: readonly WriteAction[];
}

/**
 * The writes of a status change: the Cardholder (named `cardholder`), where its status permits the trigger and what lists know of it is still as it
 * was seen, and the event that speaks of it. To be committed in one transaction.
 */
export function changeCardholderStatus(
  programId: string,
  cardholder: Cardholder,
  trigger: CardholderTrigger,
  { condition, set = {}, remove = [], values = {}, writes = [] }: CardholderChange = {},
): WriteAction[] {
  const cardholderId = cardholder.entityId;
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
        ConditionExpression: [transition.condition, seenCondition, ...(condition ? [condition] : [])].join(
          " AND ",
        ),
        ExpressionAttributeNames: transition.names,
        ExpressionAttributeValues: {
          ...transition.values,
          ...seenValues(cardholder),
          ...Object.fromEntries(Object.entries(set).map(([attribute, value]) => [`:${attribute}`, value])),
          ...values,
        },
      },
      alongside: [
        listedChange("cardholders", programId, cardholderId, cardholder, {
          ...cardholder,
          status: transition.to,
        }),
      ],
    },
    outboxPut(programId, "cardholder.status_changed", { cardholderId, status: transition.to }, now()),
    ...writes,
  ];
}

/** That a Cardholder is still what the lists know of it; `#status` names its status. */
export const seenCondition = "#status = :seenStatus AND lastName = :seenLastName";

export function seenValues({ status, lastName }: Cardholder) {
  return { ":seenStatus": status, ":seenLastName": lastName };
}

/** Whether the Cardholder has changed since it was read, so that a refused write is worth repeating. */
export function hasChanged(seen: Cardholder, stored: StoredItem): boolean {
  const attributes = ["status", "lastName", "blockedAt"] as const;
  return stored !== undefined && attributes.some((attribute) => stored[attribute] !== seen[attribute]);
}

/**
 * Changes a Cardholder's status in one transaction. It is planned again where the Cardholder has changed since it was
 * read and its status still permits the trigger.
 *
 * @returns The stored Cardholder if it refuses the change; undefined if committed.
 * @throws ContendedError when the time for retries is up.
 */
export async function commitCardholderStatus(
  programId: string,
  seen: Cardholder,
  trigger: CardholderTrigger,
  changeOf: (cardholder: Cardholder) => CardholderChange,
): Promise<{ readonly refused: StoredItem } | undefined> {
  const { from } = compileTransition(cardholderTransitions, trigger, "status");
  let cardholder = seen;
  return retry(async () => {
    const change = changeOf(cardholder);
    const outcome = await transact(changeCardholderStatus(programId, cardholder, trigger, change));
    if (outcome.committed) return undefined;
    const stored = outcome.failedConditions.get("cardholder");
    const isLegal = from.includes(stored?.status as CardholderStatus);
    if (!isLegal || !hasChanged(cardholder, stored)) return { refused: stored };
    cardholder = stored as unknown as Cardholder;
    return new Conflict("cardholder");
  });
}

/** Why the Cardholder's status was not changed, from the item that its condition met. */
export function cardholderRefusal(stored: StoredItem): ApiError {
  return new ApiError(stored === undefined ? "NOT_FOUND" : "ILLEGAL_TRANSITION");
}
