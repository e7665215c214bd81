import { DestinationType } from "../../shared/contract/enums.ts";
import { applyDeposit } from "../../shared/domain/network/apply-deposit.ts";
import { depositEvent } from "./deposit-event.ts";
import type { SandboxOperations } from "./operations.ts";

/**
 * A digital-asset deposit comes in in a Wallet, as the processor would tell of it: pending, unless the body says otherwise.
 *
 * @throws ApiError NOT_FOUND; IDEMPOTENCY_MISMATCH
 */
export const depositInWallet: SandboxOperations["POST /wallets/{walletId}/deposits"] = ({
  scope,
  path,
  body,
  idempotency,
}) =>
  applyDeposit(
    depositEvent(scope.programId, { accountType: DestinationType.wallet, accountId: path.walletId }, body),
    idempotency,
  );
