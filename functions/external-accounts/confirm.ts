import { answerRequest } from "../../shared/changes/execute.ts";
import { confirmation } from "../../shared/external-accounts/confirm.ts";
import { toExternalAccountView } from "../../shared/external-accounts/external-account.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { auditPut, toActor } from "../../shared/tenancy/audit-log.ts";

type Confirm = Operations["POST /external-accounts/{externalAccountId}/verification/confirm"];

/** @throws ApiError NOT_FOUND; ILLEGAL_TRANSITION; AMOUNTS_WRONG, also with the fifth wrong pair */
export const confirmVerification: Confirm = async (request) => {
  const { tenantId, programId } = request.scope;
  const { externalAccountId } = request.path;
  const { externalAccount, attemptsLeft } = await answerRequest(
    confirmation,
    {
      ...{ programId, externalAccountId, amounts: request.body.amounts },
      audit: (before, after) =>
        auditPut(toActor(request), {
          ...{ tenantId, programId, action: "external-account.confirm", subjectId: externalAccountId },
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
