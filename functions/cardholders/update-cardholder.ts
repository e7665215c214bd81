import { ApiError } from "../../shared/api-error.ts";
import { type Cardholder, cardholderView } from "../../shared/cardholder/cardholder.ts";
import { editing } from "../../shared/cardholder/cardholder-edit.ts";
import { environment } from "../../shared/environment.ts";
import { issuingKey } from "../../shared/table/keys.ts";
import type { StoredItem } from "../../shared/table/transact.ts";
import { updateItem } from "../../shared/table/update-item.ts";
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
  const outcome = await updateItem("cardholder", {
    TableName: environment.issuingTable,
    Key: issuingKey.cardholder(scope.programId, path.cardholderId),
    ...editing(body),
  });
  if (!outcome.updated) throw refusal(outcome.stored);
  return cardholderView(outcome.item as unknown as Cardholder);
};

function refusal(stored: StoredItem): ApiError {
  if (stored === undefined) return new ApiError("NOT_FOUND");
  return new ApiError(stored.status === 5 ? "ILLEGAL_TRANSITION" : "LOCKED_FIELDS");
}
