import { answerRequest } from "../../shared/changes/execute.ts";
import { toExternalAccountView } from "../../shared/external-accounts/external-account.ts";
import { verification } from "../../shared/external-accounts/verify.ts";
import { drawAmounts, newMicroDeposits } from "../../shared/payments/micro-deposit.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { auditPut, toActor } from "../../shared/tenancy/audit-log.ts";

export const startVerification: Operations["POST /external-accounts/{externalAccountId}/verification"] =
  async (request) => {
    const { tenantId, programId } = request.scope;
    const { externalAccountId } = request.path;
    const { method } = request.body;
    const amounts = method === "micro_deposits" ? drawAmounts() : undefined;
    const pending = await answerRequest(
      verification,
      {
        ...{ programId, externalAccountId, method },
        begin: amounts && ((account, at) => newMicroDeposits(account, amounts, at)),
        audit: (before, after) =>
          auditPut(toActor(request), {
            ...{ tenantId, programId, action: "external-account.verify", subjectId: externalAccountId },
            before: { status: before.status },
            after: { status: after.status, method },
          }),
      },
      undefined,
    );
    return toExternalAccountView(pending);
  };
