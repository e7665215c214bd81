import type { CardholderUpdate, CardholderView } from "../../shared/contract/cardholders.ts";
import { CardholderStatus } from "../../shared/contract/enums.ts";
import {
  type Cardholder,
  cardholderView,
  getCardholder,
} from "../../shared/domain/cardholders/cardholder.ts";
import { editing } from "../../shared/domain/cardholders/cardholder-edit.ts";
import { hasChanged, seenCondition, seenValues } from "../../shared/domain/cardholders/cardholder-status.ts";
import { listedChange } from "../../shared/lists/change-row.ts";
import { environment } from "../../shared/platform/environment.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import { issuingKey } from "../../shared/platform/table/keys.ts";
import { type StoredItem, transact } from "../../shared/platform/table/transact.ts";
import { updateItem } from "../../shared/platform/table/write-item.ts";
import { requireBorn } from "./date-of-birth.ts";
import type { CardholderOperations } from "./operations.ts";

/**
 * Changes the fields that are given and leaves the others. `address` is one field: it is replaced whole, so that no line of the old
 * address is left in the new one. In 1 Approved and 3 Under Review the compliance-locked fields may be sent, but not changed.
 *
 * @throws ApiError NOT_FOUND; VALIDATION_FAILED for a `dateOfBirth` in the future; LOCKED_FIELDS; ILLEGAL_TRANSITION when Deleted
 */
export const updateCardholder: CardholderOperations["PUT /cardholders/{cardholderId}"] = async ({
  scope,
  path,
  body,
}) => {
  if (body.dateOfBirth !== undefined) requireBorn(body.dateOfBirth);
  if (body.lastName !== undefined) return renameCardholder(scope.programId, path.cardholderId, body);
  const outcome = await updateItem("cardholder", {
    TableName: environment.issuingTable,
    Key: issuingKey.cardholder(scope.programId, path.cardholderId),
    ...editing(body),
  });
  if (!outcome.updated) throw refusal(outcome.stored);
  return cardholderView(outcome.item as unknown as Cardholder);
};

/** Lists know the last name: what they know changes with it, from what it surely was. */
async function renameCardholder(
  programId: string,
  cardholderId: string,
  body: CardholderUpdate,
): Promise<CardholderView> {
  let cardholder = await getCardholder(programId, cardholderId);
  for (;;) {
    const edit = editing(body);
    const outcome = await transact([
      {
        name: "cardholder",
        Update: {
          TableName: environment.issuingTable,
          Key: issuingKey.cardholder(programId, cardholderId),
          ...edit,
          UpdateExpression: edit.UpdateExpression ?? "",
          ConditionExpression: `${edit.ConditionExpression} AND ${seenCondition}`,
          ExpressionAttributeValues: { ...edit.ExpressionAttributeValues, ...seenValues(cardholder) },
        },
        alongside: [
          listedChange("cardholders", programId, cardholderId, cardholder, { ...cardholder, ...body }),
        ],
      },
    ]);
    if (outcome.committed) return cardholderView(await getCardholder(programId, cardholderId));
    const stored = outcome.failedConditions.get("cardholder");
    if (!hasChanged(cardholder, stored)) throw refusal(stored);
    cardholder = stored as unknown as Cardholder;
  }
}

function refusal(stored: StoredItem): ApiError {
  if (stored === undefined) return new ApiError("NOT_FOUND");
  return new ApiError(stored.status === CardholderStatus.deleted ? "ILLEGAL_TRANSITION" : "LOCKED_FIELDS");
}
