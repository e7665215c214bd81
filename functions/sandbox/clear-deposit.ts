import { newId } from "../../shared/id.ts";
import { applyDeposit } from "../../shared/processor/apply-deposit.ts";
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
