import { answerWithBalances, eventOf, transactionIn } from "./card-event.ts";
import type { SandboxOperations } from "./operations.ts";

/**
 * Somebody asks at an ATM what is on the card: recorded, moves nothing.
 *
 * @throws ApiError NOT_FOUND; IDEMPOTENCY_MISMATCH
 */
export const inquireBalance: SandboxOperations["POST /cards/{cardId}/balance-inquiries"] = ({
  scope,
  path,
  body,
  idempotency,
}) =>
  answerWithBalances(
    { ...eventOf("balance_inquiry", scope.programId, path.cardId), ...body },
    idempotency,
    transactionIn,
  );
