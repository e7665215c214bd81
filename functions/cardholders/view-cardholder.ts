import { getCardholder, toCardholderView } from "../../shared/domain/cardholders/cardholder.ts";
import type { CardholderOperations } from "./operations.ts";

/**
 * Views a Cardholder, a deleted one included.
 *
 * @throws ApiError NOT_FOUND
 */
export const viewCardholder: CardholderOperations["GET /cardholders/{cardholderId}"] = async ({
  scope,
  path,
}) => toCardholderView(await getCardholder(scope.programId, path.cardholderId));
