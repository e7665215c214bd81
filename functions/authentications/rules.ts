import { authenticationRules, noRules, toRulesView } from "../../shared/authentications/rules.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { isNew } from "../../shared/platform/table/condition.ts";
import { Conflict, retryDecision } from "../../shared/platform/table/retry.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import { auditPut, toActor } from "../../shared/tenancy/audit-log.ts";

/** Without rules, each authentication is challenged. */
export const viewAuthenticationRules: Operations["GET /authentication-rules"] = async ({ scope }) =>
  toRulesView((await authenticationRules.at(scope.programId).get()) ?? noRules);

/** @throws ContendedError */
export const putAuthenticationRules: Operations["PUT /authentication-rules"] = async (request) => {
  const { scope, body } = request;
  const { tenantId, programId } = scope;
  const [actor, item] = [toActor(request), authenticationRules.at(programId)];
  return retryDecision(async () => {
    const before = await item.get();
    const version = before?.version ?? 0;
    const after = { ...body, version: version + 1 };
    const outcome = await transact([
      item.put(after, before ? { version } : isNew),
      auditPut(actor, {
        ...{ tenantId, programId, action: "authentication-rules.put", subjectId: programId },
        before: before ? { ...toRulesView(before) } : null,
        after: { ...toRulesView(after) },
      }),
    ]);
    return outcome.committed ? toRulesView(after) : new Conflict(...outcome.failedConditions.keys());
  });
};
