import { defaultWalletPut } from "../../shared/domain/wallets/wallet.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import { actorOf } from "../../shared/tenancy/audit-log.ts";
import { createProgram as createProgramOf } from "../../shared/tenancy/programs/new-program.ts";
import { toProgramView } from "../../shared/tenancy/programs/program.ts";
import type { AccountOperations } from "./operations.ts";

/**
 * Creates a Program in a currency that never changes, with its default Wallet. Without extended public keys it gets some of the environment's.
 *
 * @throws ApiError VALIDATION_FAILED for an extended public key that is none, or another Program's
 */
export const createProgram: AccountOperations["POST /account/programs"] = async (request) => {
  const { tenantId } = request.scope;
  const { program, outcome } = await createProgramOf(
    { tenantId, ...request.body },
    actorOf(request),
    defaultWalletPut,
  );
  if (!outcome.committed) throw new ApiError("NOT_FOUND");
  return toProgramView(program);
};
