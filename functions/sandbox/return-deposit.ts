import { applyDeposit } from "../../shared/domain/network/apply-deposit.ts";
import { newId } from "../../shared/platform/id.ts";
import type { SandboxOperations } from "./operations.ts";

/**
 * The processor returns a cleared deposit, or reverses one that is still pending.
 *
 * @throws ApiError NOT_FOUND; ILLEGAL_TRANSITION when it was reversed or returned before; IDEMPOTENCY_MISMATCH
 */
export const returnDeposit: SandboxOperations["POST /deposits/{depositId}/return"] = ({
  scope,
  path,
  idempotency,
}) =>
  applyDeposit(
    {
      kind: "deposit_returned",
      eventId: newId("event"),
      programId: scope.programId,
      depositId: path.depositId,
    },
    idempotency,
  );
