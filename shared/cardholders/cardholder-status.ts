import { isDeepStrictEqual } from "node:util";
import { CardholderStatus, KycStatus } from "../contract/enums.ts";
import { listUpdate } from "../lists/entry.ts";
import { now } from "../platform/clock.ts";
import { ApiError, statusError } from "../platform/http/api-error.ts";
import { outboxPut } from "../platform/outbox/outbox-put.ts";
import { all, type Condition, oneOf } from "../platform/table/condition.ts";
import { Conflict, retry } from "../platform/table/retry.ts";
import { type StoredItem, transact, type WriteAction } from "../platform/table/transact.ts";
import { findStep, fromEach, type TransitionTable } from "../platform/table/transition.ts";
import { applicantFields, type Cardholder, cardholderList, cardholders, reviewFields } from "./cardholder.ts";

/**
 * - submit: POST /cardholders/{cardholderId}/submit
 * - conclude: an outcome has come and is not decided yet (sandbox only)
 * - approve, decline, fail: the compliance provider's outcome; fail also after 30 days without one
 * - refuse: platform administration
 * - delete: DELETE /cardholders/{cardholderId}
 */
export type CardholderTrigger = "submit" | "conclude" | "approve" | "decline" | "fail" | "refuse" | "delete";

const { pending, approved, complianceDecline, underReview, draft, deleted, error, adminDecline } =
  CardholderStatus;

/** Every legal change of a Cardholder's status. */
export const cardholderTransitions = [
  ...fromEach([draft, complianceDecline, error], "submit", underReview),
  { from: underReview, trigger: "conclude", to: pending },
  ...fromEach([pending, underReview], "approve", approved),
  ...fromEach([pending, underReview], "decline", complianceDecline),
  ...fromEach([pending, underReview], "fail", error),
  ...fromEach([pending, underReview, approved], "refuse", adminDecline),
  ...fromEach(
    [pending, approved, complianceDecline, underReview, draft, error, adminDecline],
    "delete",
    deleted,
  ),
] as const satisfies TransitionTable<CardholderStatus, CardholderTrigger>;

export interface CardholderChange {
  readonly condition?: Condition<Cardholder>;
  readonly set?: Partial<Cardholder>;
  readonly remove?: readonly (keyof Cardholder)[];
  readonly writes?: readonly WriteAction[];
}

/**
 * Writes the status (condition `cardholder`) and its event. Requires a status that permits the
 * trigger, and the listed values as read.
 */
export function changeCardholderStatus(
  programId: string,
  cardholder: Cardholder,
  trigger: CardholderTrigger,
  { condition, set, remove = [], writes = [] }: CardholderChange = {},
): WriteAction[] {
  const cardholderId = cardholder.entityId;
  const { from, to: status } = findStep(cardholderTransitions, trigger);
  const isLegal = all<Cardholder>(
    { status: oneOf(from) },
    listedAs(cardholder),
    ...(condition ? [condition] : []),
  );
  return [
    {
      ...cardholders.at(programId, cardholderId).update({ set: { ...set, status }, remove }, isLegal),
      alongside: [listUpdate(cardholderList, programId, cardholderId, cardholder, { ...cardholder, status })],
    },
    cardholderEvent(programId, cardholderId, status),
    ...writes,
  ];
}

export function cardholderEvent(
  programId: string,
  cardholderId: string,
  status: CardholderStatus,
): WriteAction {
  return outboxPut(programId, "cardholder.status_changed", { cardholderId, status }, now());
}

/** Requires the listed values as read. */
export function listedAs({ status, lastName, firstName, email, phone }: Cardholder): Condition<Cardholder> {
  return { status, lastName, firstName, email, phone };
}

/** Whether it changed since it was read, so that the write is worth repeating. */
export function hasChanged(seen: Cardholder, stored: StoredItem): stored is Cardholder {
  return (
    stored !== undefined &&
    changing.some((attribute) => !isDeepStrictEqual(stored[attribute], seen[attribute]))
  );
}

const changing = [
  ...applicantFields,
  "status",
  "blockedAt",
  "altKycEnabled",
  "externalId",
  "hasMetadata",
] as const;

/**
 * Retries if the Cardholder changed since it was read and its status still permits the trigger.
 * @returns the stored Cardholder if it rejects the change; undefined if committed
 * @throws ContendedError when the time for retries is up
 */
export async function commitCardholderStatus(
  programId: string,
  seen: Cardholder,
  trigger: CardholderTrigger,
  decideChange: (cardholder: Cardholder) => CardholderChange | Promise<CardholderChange>,
): Promise<{ readonly stored: Cardholder | undefined } | undefined> {
  const { from } = findStep(cardholderTransitions, trigger);
  let cardholder = seen;
  return retry(async () => {
    const change = await decideChange(cardholder);
    const outcome = await transact(changeCardholderStatus(programId, cardholder, trigger, change));
    if (outcome.committed) return undefined;
    const stored = cardholders.parse(outcome.failedConditions.get("cardholder"));
    if (!hasChanged(cardholder, stored) || !from.includes(stored.status)) return { stored };
    cardholder = stored;
    return new Conflict("cardholder");
  });
}

/** Why the status was not changed, from the item that failed the condition. */
export function toCardholderStatusError(stored: Cardholder | undefined, by: CardholderTrigger): ApiError {
  if (stored === undefined) return new ApiError("NOT_FOUND");
  return statusError(stored.status, findStep(cardholderTransitions, by).from, CardholderStatus);
}

export const kycTriggers = {
  [KycStatus.approved]: "approve",
  [KycStatus.complianceDecline]: "decline",
  [KycStatus.error]: "fail",
} as const;

/**
 * Legal only in 3 Under Review, and with a `sessionId` only in this very review. Deletes what was
 * kept for it. Failed condition: `cardholder`, explained by `toCardholderStatusError`.
 */
export function kycOutcomeWrites(
  programId: string,
  cardholder: Cardholder,
  status: KycStatus,
  sessionId?: string,
): WriteAction[] {
  return changeCardholderStatus(programId, cardholder, kycTriggers[status], {
    ...(sessionId !== undefined && { condition: { kycSession: sessionId } }),
    remove: reviewFields,
  });
}
