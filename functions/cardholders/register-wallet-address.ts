import { getCardholder } from "../../shared/domain/cardholders/cardholder.ts";
import type { CardholderOperations } from "./operations.ts";

/**
 * Deprecated: every Card has its deposit addresses from issuance. Answers as it used to and registers nothing.
 *
 * @throws ApiError NOT_FOUND
 */
export const registerWalletAddress: CardholderOperations["POST /cardholders/{cardholderId}/register-wallet-address"] =
  async ({ scope, path }) => {
    await getCardholder(scope.programId, path.cardholderId);
    return {};
  };
