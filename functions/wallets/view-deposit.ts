import { ApiError } from "../../shared/api-error.ts";
import { readDeposit } from "../../shared/deposit/deposit.ts";
import { toDepositView } from "../../shared/deposit/deposit-view.ts";
import type { WalletOperations } from "./operations.ts";

/**
 * One deposit, in minor units.
 *
 * @throws ApiError NOT_FOUND
 */
export const viewDeposit: WalletOperations["GET /deposits/{depositId}"] = async ({ scope, path }) => {
  const deposit = await readDeposit(scope.programId, path.depositId);
  if (!deposit) throw new ApiError("NOT_FOUND");
  return toDepositView(deposit);
};
