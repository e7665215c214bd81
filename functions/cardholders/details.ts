import type { CardholderUpdate, CardholderView } from "../../shared/contract/cardholders.ts";
import { CardholderStatus } from "../../shared/contract/enums.ts";
import {
  type Cardholder,
  cardholderList,
  cardholders,
  draftCardholder,
  getCardholder,
  toCardholderView,
} from "../../shared/domain/cardholders/cardholder.ts";
import { hasChanged, listedAs } from "../../shared/domain/cardholders/cardholder-status.ts";
import { toReviewedView } from "../../shared/domain/cardholders/review.ts";
import { listInsert, listUpdate } from "../../shared/lists/change.ts";
import { timestamp } from "../../shared/platform/clock.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import { newId } from "../../shared/platform/id.ts";
import {
  all,
  any,
  type Condition,
  differsFrom,
  exists,
  not,
  oneOf,
} from "../../shared/platform/table/condition.ts";
import { Conflict, retry } from "../../shared/platform/table/retry.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import type { CardholderOperations } from "./operations.ts";

/**
 * A new Cardholder is 4 Draft and is not reviewed until it is submitted.
 * @throws ApiError VALIDATION_FAILED for a `dateOfBirth` in the future
 */
export const createCardholder: CardholderOperations["POST /cardholders"] = async ({ scope, body }) => {
  requireBorn(body.dateOfBirth);
  const cardholder = draftCardholder(newId("cardholder"), body, timestamp());
  const { programId } = scope;
  await transact([
    {
      ...cardholders.at(programId, cardholder.entityId).put(cardholder),
      alongside: [listInsert(cardholderList, programId, cardholder.entityId, cardholder)],
    },
  ]);
  return toCardholderView(cardholder);
};

/**
 * Omitted fields stay. `address` is replaced whole, so that no line of the old one is left. In 1
 * Approved and 3 Under Review, compliance-locked fields may be sent, but not changed.
 * @throws ApiError NOT_FOUND; VALIDATION_FAILED for a `dateOfBirth` in the future; LOCKED_FIELDS;
 * ILLEGAL_TRANSITION if Deleted
 */
export const updateCardholder: CardholderOperations["PUT /cardholders/{cardholderId}"] = async ({
  scope,
  path,
  body,
}) => {
  if (body.dateOfBirth !== undefined) requireBorn(body.dateOfBirth);
  if (body.lastName !== undefined) return renameCardholder(scope.programId, path.cardholderId, body);
  const { set, condition } = editCardholder(body);
  const outcome = await cardholders.at(scope.programId, path.cardholderId).updateNow({ set }, condition);
  if (!outcome.updated) throw toUpdateError(outcome.stored);
  return toReviewedView(scope.programId, outcome.item);
};

/** Lists hold the last name, so the write requires the name as read. */
async function renameCardholder(
  programId: string,
  cardholderId: string,
  body: CardholderUpdate,
): Promise<CardholderView> {
  const { set, condition } = editCardholder(body);
  let cardholder = await getCardholder(programId, cardholderId);
  await retry(async () => {
    const outcome = await transact([
      {
        ...cardholders.at(programId, cardholderId).update({ set }, all(condition, listedAs(cardholder))),
        alongside: [
          listUpdate(cardholderList, programId, cardholderId, cardholder, { ...cardholder, ...body }),
        ],
      },
    ]);
    if (outcome.committed) return undefined;
    const stored = cardholders.parse(outcome.failedConditions.get("cardholder"));
    if (!hasChanged(cardholder, stored)) throw toUpdateError(stored);
    cardholder = stored;
    return new Conflict("cardholder");
  });
  return toReviewedView(programId, await getCardholder(programId, cardholderId));
}

function toUpdateError(stored: Cardholder | undefined): ApiError {
  if (stored === undefined) return new ApiError("NOT_FOUND");
  return new ApiError(stored.status === CardholderStatus.deleted ? "ILLEGAL_TRANSITION" : "LOCKED_FIELDS");
}

/** Reviewed by compliance; of an address, only its country. */
const lockedFields = ["firstName", "lastName", "dateOfBirth", "gender", "nationality"] as const;

const isLocked = { status: oneOf([CardholderStatus.underReview, CardholderStatus.approved]) };

/**
 * Requires that the Cardholder is not Deleted and that no locked field changes in Under Review and
 * Approved.
 */
function editCardholder(update: CardholderUpdate): {
  readonly set: Partial<Cardholder>;
  readonly condition: Condition<Cardholder>;
} {
  const set = Object.fromEntries(Object.entries(update).filter(([, value]) => value !== undefined));
  const locked = Object.fromEntries(
    lockedFields.filter((name) => name in set).map((name) => [name, set[name]]),
  );
  if (update.address) locked["address.country"] = update.address.country;
  const unchanged: Condition<Cardholder>[] =
    Object.keys(locked).length > 0 ? [any<Cardholder>(not(isLocked), locked)] : [];
  return { set, condition: all(exists, { status: differsFrom(CardholderStatus.deleted) }, ...unchanged) };
}

/** @throws ApiError VALIDATION_FAILED for a day after today, in UTC */
function requireBorn(dateOfBirth: string): void {
  if (dateOfBirth <= timestamp()) return;
  throw new ApiError("VALIDATION_FAILED", [
    { path: "body.dateOfBirth", code: "in_the_future", message: "must not be in the future" },
  ]);
}
