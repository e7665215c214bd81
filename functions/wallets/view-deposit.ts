import { readDeposit } from "../../shared/domain/deposits/deposit.ts";
import { toDepositView } from "../../shared/domain/deposits/deposit-view.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import type { WalletOperations } from "./operations.ts";

export const viewDeposit: WalletOperations["GET /deposits/{depositId}"] = async ({ scope, path }) => {
  const deposit = await readDeposit(scope.programId, path.depositId);
  if (!deposit) throw new ApiError("NOT_FOUND");
  return toDepositView(deposit);
};
