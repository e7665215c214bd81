import { isDeepStrictEqual } from "node:util";
import {
  type Cardholder,
  cardholderList,
  cardholders,
  getCardholder,
} from "../../shared/cardholders/cardholder.ts";
import { hasChanged, listedAs } from "../../shared/cardholders/cardholder-status.ts";
import { showCardholder } from "../../shared/cardholders/review.ts";
import type { CardholderUpdate } from "../../shared/contract/cardholders.ts";
import { CardholderStatus } from "../../shared/contract/enums.ts";
import { requireBorn } from "../../shared/issuing/create-cardholder.ts";
import { listUpdate } from "../../shared/lists/entry.ts";
import { timestamp } from "../../shared/platform/clock.ts";
import { ApiError, invalid, statusError } from "../../shared/platform/http/api-error.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { type LabelChange, planLabels, requireUnique } from "../../shared/platform/labels.ts";
import {
  all,
  any,
  type Condition,
  differsFrom,
  exists,
  not,
  oneOf,
  present,
} from "../../shared/platform/table/condition.ts";
import { Conflict, retry } from "../../shared/platform/table/retry.ts";
import { transact } from "../../shared/platform/table/transact.ts";

/**
 * Omitted fields stay, `null` removes one. `address` is replaced whole, so that no line of the old
 * one is left. In 1 Approved and 3 Under Review, compliance-locked fields may be sent, but not
 * changed.
 * @throws ApiError VALIDATION_FAILED for a `dateOfBirth` in the future, and for the removal of the
 * only name; ILLEGAL_TRANSITION if Deleted; EXTERNAL_ID_EXISTS
 */
export const updateCardholder: Operations["PUT /cardholders/{cardholderId}"] = async (request) => {
  const { scope, path, body } = request;
  if (body.dateOfBirth !== undefined) requireBorn(body.dateOfBirth);
  const { externalId, metadata, ...details } = body;
  const rename = () =>
    renameCardholder(scope.programId, path.cardholderId, details, { externalId, metadata });
  const listed = [body.firstName, body.lastName, body.email, body.phone];
  const isListed = listed.some((value) => value !== undefined);
  if (externalId !== undefined || metadata !== undefined || isListed) return rename();
  const { change, condition } = editCardholder(details);
  const cardholder = cardholders.at(scope.programId, path.cardholderId);
  const outcome = await cardholder.updateNow(change, condition);
  if (outcome.updated) return showCardholder(scope.programId, outcome.item);
  throw toUpdateError(outcome.stored, details);
};

type Details = Omit<CardholderUpdate, "externalId" | "metadata">;

/**
 * Lists hold name, email and phone, so the write requires them as read; and the labels, if they
 * change.
 */
async function renameCardholder(programId: string, cardholderId: string, body: Details, labels: LabelChange) {
  const { change, condition } = editCardholder(body);
  const of = { programId, kind: "cardholder", recordId: cardholderId } as const;
  let cardholder = await getCardholder(programId, cardholderId);
  await retry(async () => {
    const { firstName, lastName, email, phone } = { ...cardholder, ...change.set, ...toNames(body) };
    const renamed = { ...cardholder, ...{ firstName, lastName, email, phone } };
    const plan = await planLabels(of, cardholder, labels);
    const changed = {
      set: {
        ...{ ...change.set, ...plan.set },
        ...(labels.metadata !== undefined && { metadataAt: timestamp() }),
      },
      remove: [...change.remove, ...plan.remove],
    };
    const isAsRead = all<Cardholder>(condition, listedAs(cardholder), plan.condition);
    const isListedAlike = isDeepStrictEqual(
      [firstName, lastName, email, phone],
      [cardholder.firstName, cardholder.lastName, cardholder.email, cardholder.phone],
    );
    const outcome = await transact([
      {
        ...cardholders.at(programId, cardholderId).update(changed, isAsRead),
        alongside: isListedAlike
          ? []
          : [listUpdate(cardholderList, programId, cardholderId, cardholder, renamed)],
      },
      ...plan.writes,
    ]);
    if (outcome.committed) return undefined;
    const failed = outcome.failedConditions;
    const stored = failed.has("cardholder") ? cardholders.parse(failed.get("cardholder")) : cardholder;
    if (failed.has("cardholder") && !hasChanged(cardholder, stored)) throw toUpdateError(stored, body);
    requireUnique(failed, of);
    cardholder = stored as Cardholder;
    return new Conflict(...failed.keys());
  });
  return showCardholder(programId, await getCardholder(programId, cardholderId));
}

/** Removed ones are undefined. */
function toNames({ firstName, lastName }: Details) {
  return {
    ...(firstName !== undefined && { firstName: firstName ?? undefined }),
    ...(lastName !== undefined && { lastName: lastName ?? undefined }),
  };
}

function toUpdateError(stored: Cardholder | undefined, body: Details): ApiError {
  if (stored === undefined) return new ApiError("NOT_FOUND");
  if (stored.status === CardholderStatus.deleted) return statusError(stored.status, [], CardholderStatus);
  const [locked, before] = [toLocked(body), toLocked(stored)];
  const changed = Object.keys(locked).filter((name) => locked[name] !== before[name]);
  const faults = changed.map((name) => ({ ...isLockedAt, path: `body.${name}` }));
  if (lockedStatuses.has(stored.status) && faults.length > 0) return new ApiError("LOCKED_FIELDS", faults);
  const path = body.lastName === null ? "body.lastName" : "body.firstName";
  return invalid(path, "required", "cannot be removed: it is the only name");
}

const isLockedAt = { code: "locked", message: "cannot be changed: send it as it is, or not at all" };

/** Reviewed by compliance, and how; of an address, only its country. */
const lockedFields = [
  "firstName",
  "lastName",
  "dateOfBirth",
  "gender",
  "nationality",
  "altKycEnabled",
] as const;

const lockedStatuses: ReadonlySet<CardholderStatus> = new Set([
  CardholderStatus.underReview,
  CardholderStatus.approved,
]);
const isLocked = { status: oneOf([...lockedStatuses]) };

/** By their places. What is removed is undefined. */
function toLocked(update: Details): Record<string, unknown> {
  const given = lockedFields.filter((name) => update[name] !== undefined);
  const locked = Object.fromEntries(given.map((name) => [name, update[name] ?? undefined]));
  return update.address ? { ...locked, "address.country": update.address.country } : locked;
}

/**
 * Requires that the Cardholder is not Deleted, that no locked field changes in Under Review and
 * Approved, and that one name stays.
 */
function editCardholder(update: Details) {
  const given = Object.entries(update).filter(([, value]) => value !== undefined);
  const set: Partial<Cardholder> = Object.fromEntries(given.filter(([, value]) => value !== null));
  const remove = given.filter(([, value]) => value === null).map(([name]) => name as keyof Details);
  const locked = toLocked(update);
  const unchanged: Condition<Cardholder>[] =
    Object.keys(locked).length > 0 ? [any<Cardholder>(not(isLocked), locked)] : [];
  const named: Condition<Cardholder>[] = [
    ...(update.firstName === null && !update.lastName ? [{ lastName: present }] : []),
    ...(update.lastName === null && !update.firstName ? [{ firstName: present }] : []),
  ];
  const isEditable = all<Cardholder>(exists, { status: differsFrom(CardholderStatus.deleted) });
  return { change: { set, remove }, condition: all(isEditable, ...unchanged, ...named) };
}
