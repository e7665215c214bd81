import { getCardholder } from "../../shared/domain/cardholders/cardholder.ts";
import type { CardholderOperations } from "./operations.ts";

/**
 * Deprecated: every Card gets its deposit addresses at issuance. Answers as before and registers nothing.
 * @throws ApiError NOT_FOUND
 */
export const registerWalletAddress: CardholderOperations["POST /cardholders/{cardholderId}/register-wallet-address"] =
  async ({ scope, path }) => {
    await getCardholder(scope.programId, path.cardholderId);
    return {};
  };
