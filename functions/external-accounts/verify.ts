import { answerRequest } from "../../shared/changes/execute.ts";
import { confirmation, verification } from "../../shared/external-accounts/account-changes.ts";
import { toExternalAccountView } from "../../shared/external-accounts/external-account.ts";
import { drawAmounts, newMicroDeposits } from "../../shared/payments/micro-deposit.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { auditRequest } from "../../shared/tenancy/audit-log.ts";

export const startVerification: Operations["POST /external-accounts/{externalAccountId}/verification"] =
  async (request) => {
    const { programId } = request.scope;
    const { externalAccountId } = request.path;
    const { method } = request.body;
    const amounts = method === "micro_deposits" ? drawAmounts() : undefined;
    const pending = await answerRequest(
      verification,
      {
        ...{ programId, externalAccountId, method },
        begin: amounts && ((account, at) => newMicroDeposits(account, amounts, at)),
        audit: (before, after) =>
          auditRequest(request, "external-account.verify", externalAccountId, {
            before: { status: before.status },
            after: { status: after.status, method },
          }),
      },
      undefined,
    );
    return toExternalAccountView(pending);
  };

type Confirm = Operations["POST /external-accounts/{externalAccountId}/verification/confirm"];

/** @throws ApiError NOT_FOUND; ILLEGAL_TRANSITION; AMOUNTS_WRONG, also with the fifth wrong pair */
export const confirmVerification: Confirm = async (request) => {
  const { programId } = request.scope;
  const { externalAccountId } = request.path;
  const { externalAccount, attemptsLeft } = await answerRequest(
    confirmation,
    {
      ...{ programId, externalAccountId, amounts: request.body.amounts },
      audit: (before, after) =>
        auditRequest(request, "external-account.confirm", externalAccountId, {
          before: { status: before.status },
          after: { status: after.status, wrongAttempts: after.wrongAttempts ?? 0 },
        }),
    },
    undefined,
  );
  if (attemptsLeft === undefined) return toExternalAccountView(externalAccount);
  const message = `must be the two amounts that came; ${attemptsLeft} attempts are left`;
  const faults = [{ path: "body.amounts", code: "wrong_amounts", message }];
  throw new ApiError("AMOUNTS_WRONG", faults, undefined, undefined, attemptsLeft);
};
