import type { CardholderUpdate, CardholderView } from "../../shared/contract/cardholders.ts";
import { CardholderStatus } from "../../shared/contract/enums.ts";
import {
  cardholderList,
  cardholders,
  getCardholder,
  toCardholderView,
} from "../../shared/domain/cardholders/cardholder.ts";
import { editCardholder } from "../../shared/domain/cardholders/cardholder-edit.ts";
import { hasChanged, listedAs } from "../../shared/domain/cardholders/cardholder-status.ts";
import { listUpdate } from "../../shared/lists/change.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import { all } from "../../shared/platform/table/condition.ts";
import { type StoredItem, transact } from "../../shared/platform/table/transact.ts";
import { requireBorn } from "./date-of-birth.ts";
import type { CardholderOperations } from "./operations.ts";

/**
 * Omitted fields stay. `address` is replaced whole, so that no line of the old one is left. In 1 Approved and
 * 3 Under Review, compliance-locked fields may be sent, but not changed.
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
  if (!outcome.updated) throw refusal(outcome.stored);
  return toCardholderView(outcome.item);
};

/** Lists hold the last name, so the write requires the name that was read. */
async function renameCardholder(
  programId: string,
  cardholderId: string,
  body: CardholderUpdate,
): Promise<CardholderView> {
  const { set, condition } = editCardholder(body);
  let cardholder = await getCardholder(programId, cardholderId);
  for (;;) {
    const outcome = await transact([
      {
        ...cardholders.at(programId, cardholderId).update({ set }, all(condition, listedAs(cardholder))),
        alongside: [
          listUpdate(cardholderList, programId, cardholderId, cardholder, { ...cardholder, ...body }),
        ],
      },
    ]);
    if (outcome.committed) return toCardholderView(await getCardholder(programId, cardholderId));
    const stored = cardholders.parse(outcome.failedConditions.get("cardholder"));
    if (!hasChanged(cardholder, stored)) throw refusal(stored);
    cardholder = stored;
  }
}

function refusal(stored: StoredItem): ApiError {
  if (stored === undefined) return new ApiError("NOT_FOUND");
  return new ApiError(stored.status === CardholderStatus.deleted ? "ILLEGAL_TRANSITION" : "LOCKED_FIELDS");
}
