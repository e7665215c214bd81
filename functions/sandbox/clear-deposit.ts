import { applyDeposit } from "../../shared/domain/network/apply-deposit.ts";
import { newId } from "../../shared/platform/id.ts";
import type { SandboxOperations } from "./operations.ts";

/**
 * The processor clears a pending deposit.
 *
 * @throws ApiError NOT_FOUND; ILLEGAL_TRANSITION when it is not pending any more; IDEMPOTENCY_MISMATCH
 */
export const clearDeposit: SandboxOperations["POST /deposits/{depositId}/clear"] = ({
  scope,
  path,
  idempotency,
}) =>
  applyDeposit(
    {
      kind: "deposit_cleared",
      eventId: newId("event"),
      programId: scope.programId,
      depositId: path.depositId,
    },
    idempotency,
  );
