import { authenticationRules, noRules, toRulesView } from "../../shared/authentications/rules.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { isNew } from "../../shared/platform/table/condition.ts";
import { Conflict, retryDecision } from "../../shared/platform/table/retry.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import { auditRequest } from "../../shared/tenancy/audit-log.ts";

/** Without rules, each authentication is challenged. */
export const viewAuthenticationRules: Operations["GET /authentication-rules"] = async ({ scope }) =>
  toRulesView((await authenticationRules.at(scope.programId).get()) ?? noRules);

/** @throws ContendedError */
export const putAuthenticationRules: Operations["PUT /authentication-rules"] = async (request) => {
  const { programId } = request.scope;
  const item = authenticationRules.at(programId);
  return retryDecision(async () => {
    const before = await item.get();
    const version = before?.version ?? 0;
    const after = { ...request.body, version: version + 1 };
    const outcome = await transact([
      item.put(after, before ? { version } : isNew),
      auditRequest(request, "authentication-rules.put", programId, {
        before: before ? { ...toRulesView(before) } : null,
        after: { ...toRulesView(after) },
      }),
    ]);
    return outcome.committed ? toRulesView(after) : new Conflict(...outcome.failedConditions.keys());
  });
};
