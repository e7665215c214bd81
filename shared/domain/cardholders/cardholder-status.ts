import { listUpdate } from "../../lists/change.ts";
import { now } from "../../platform/clock.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import { outboxPut } from "../../platform/outbox/outbox-put.ts";
import { all, type Condition, oneOf } from "../../platform/table/condition.ts";
import { Conflict, retry } from "../../platform/table/retry.ts";
import { type StoredItem, transact, type WriteAction } from "../../platform/table/transact.ts";
import { stepOf } from "../../platform/table/transition.ts";
import { type Cardholder, cardholderList, cardholders } from "./cardholder.ts";
import { type CardholderTrigger, cardholderTransitions } from "./cardholder-transitions.ts";

export interface CardholderChange {
  readonly condition?: Condition<Cardholder>;
  readonly set?: Partial<Cardholder>;
  readonly remove?: readonly (keyof Cardholder)[];
  readonly writes?: readonly WriteAction[];
}

/**
 * Writes the status (condition `cardholder`) and its event. Requires a status that permits the trigger, and
 * the listed values as read.
 */
export function changeCardholderStatus(
  programId: string,
  cardholder: Cardholder,
  trigger: CardholderTrigger,
  { condition, set, remove = [], writes = [] }: CardholderChange = {},
): WriteAction[] {
  const cardholderId = cardholder.entityId;
  const { from, to: status } = stepOf(cardholderTransitions, trigger);
  const isLegal = { status: oneOf(from) };
  return [
    {
      ...cardholders
        .at(programId, cardholderId)
        .update(
          { set: { ...set, status }, remove },
          all(isLegal, listedAs(cardholder), ...(condition ? [condition] : [])),
        ),
      alongside: [listUpdate(cardholderList, programId, cardholderId, cardholder, { ...cardholder, status })],
    },
    outboxPut(programId, "cardholder.status_changed", { cardholderId, status }, now()),
    ...writes,
  ];
}

/** Requires the listed values as read. */
export function listedAs({ status, lastName }: Cardholder): Condition<Cardholder> {
  return { status, lastName };
}

/** Changed since it was read: the write is worth repeating. */
export function hasChanged(seen: Cardholder, stored: StoredItem): stored is Cardholder {
  const attributes = ["status", "lastName", "blockedAt"] as const;
  return stored !== undefined && attributes.some((attribute) => stored[attribute] !== seen[attribute]);
}

/**
 * Retries if the Cardholder changed since it was read and its status still permits the trigger.
 * @returns the stored Cardholder if it rejects the change; undefined if committed
 * @throws ContendedError when the time for retries is up
 */
export async function commitCardholderStatus(
  programId: string,
  seen: Cardholder,
  trigger: CardholderTrigger,
  changeOf: (cardholder: Cardholder) => CardholderChange,
): Promise<{ readonly refused: StoredItem } | undefined> {
  const { from } = stepOf(cardholderTransitions, trigger);
  let cardholder = seen;
  return retry(async () => {
    const change = changeOf(cardholder);
    const outcome = await transact(changeCardholderStatus(programId, cardholder, trigger, change));
    if (outcome.committed) return undefined;
    const stored = cardholders.parse(outcome.failedConditions.get("cardholder"));
    if (!hasChanged(cardholder, stored) || !from.includes(stored.status)) return { refused: stored };
    cardholder = stored;
    return new Conflict("cardholder");
  });
}

/** Why the status was not changed, from the item that failed the condition. */
export function cardholderRefusal(stored: StoredItem): ApiError {
  return new ApiError(stored === undefined ? "NOT_FOUND" : "ILLEGAL_TRANSITION");
}
