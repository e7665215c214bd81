import { CardholderStatus } from "../../shared/contract/enums.ts";
import { getCardholder, toCardholderView } from "../../shared/domain/cardholders/cardholder.ts";
import {
  commitCardholderStatus,
  toCardholderStatusError,
} from "../../shared/domain/cardholders/cardholder-status.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import type { StoredItem } from "../../shared/platform/table/transact.ts";
import type { CardholderOperations } from "./operations.ts";

/**
 * Sets a Cardholder to 5 Deleted. Its data stays: what it did with its cards must remain explainable. The
 * count of open cards is on the Cardholder's item, so that a card issued at the same moment either stops the
 * deletion or fails itself.
 * @throws ApiError NOT_FOUND; ILLEGAL_TRANSITION if already Deleted; CARDS_NOT_CLOSED
 */
export const deleteCardholder: CardholderOperations["DELETE /cardholders/{cardholderId}"] = async ({
  scope,
  path,
}) => {
  const cardholder = await getCardholder(scope.programId, path.cardholderId);
  const failed = await commitCardholderStatus(scope.programId, cardholder, "delete", () => ({
    condition: { openCards: 0 },
    remove: ["kycSession", "kycToken"],
  }));
  if (failed) throw deletionRefusal(failed.refused);
  return toCardholderView({ ...cardholder, status: CardholderStatus.deleted });
};

function deletionRefusal(stored: StoredItem): ApiError {
  const cardsAreOpen =
    stored !== undefined && stored.status !== CardholderStatus.deleted && stored.openCards !== 0;
  return cardsAreOpen ? new ApiError("CARDS_NOT_CLOSED") : toCardholderStatusError(stored);
}
