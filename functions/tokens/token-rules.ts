import type { Operations } from "../../shared/platform/http/request.ts";
import { isNew } from "../../shared/platform/table/condition.ts";
import { Conflict, retryDecision } from "../../shared/platform/table/retry.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import { auditPut, toActor } from "../../shared/tenancy/audit-log.ts";
import { noTokenRules, tokenRules } from "../../shared/tokens/token-rules.ts";

export const viewTokenRules: Operations["GET /token-rules"] = async ({ scope }) =>
  (await tokenRules.at(scope.programId).get())?.rules ?? noTokenRules;

/** The next request is decided by them. */
export const putTokenRules: Operations["PUT /token-rules"] = (request) => {
  const { scope, body: rules } = request;
  const { tenantId, programId } = scope;
  const stored = tokenRules.at(programId);
  return retryDecision(async () => {
    const { version, rules: before } = (await stored.get()) ?? { version: 0, rules: noTokenRules };
    const audited = { tenantId, programId, action: "token-rules.put", subjectId: programId } as const;
    const { committed } = await transact([
      stored.put({ rules, version: version + 1 }, version === 0 ? isNew : { version }),
      auditPut(toActor(request), { ...audited, before: { ...before }, after: { ...rules } }),
    ]);
    return committed ? rules : new Conflict("tokenRules");
  });
};
