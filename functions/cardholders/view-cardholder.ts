import { getCardholder, toCardholderView } from "../../shared/domain/cardholders/cardholder.ts";
import type { CardholderOperations } from "./operations.ts";

/**
 * Shows deleted Cardholders too.
 * @throws ApiError NOT_FOUND
 */
export const viewCardholder: CardholderOperations["GET /cardholders/{cardholderId}"] = async ({
  scope,
  path,
}) => toCardholderView(await getCardholder(scope.programId, path.cardholderId));
