import { DestinationType } from "../../shared/contract/enums.ts";
import { applyDeposit } from "../../shared/domain/network/apply-deposit.ts";
import { depositEvent } from "./deposit-event.ts";
import type { SandboxOperations } from "./operations.ts";

/**
 * A digital-asset deposit comes in on a Card, as the processor would tell of it: pending, unless the body says otherwise. A Card that
 * takes no deposits keeps its balances, and the deposit goes to suspense.
 *
 * @throws ApiError NOT_FOUND; IDEMPOTENCY_MISMATCH
 */
export const depositOnCard: SandboxOperations["POST /cards/{cardId}/deposits"] = ({
  scope,
  path,
  body,
  idempotency,
}) =>
  applyDeposit(
    depositEvent(scope.programId, { accountType: DestinationType.card, accountId: path.cardId }, body),
    idempotency,
  );
