import { answerRequest } from "../../shared/changes/execute.ts";
import type { TokenView } from "../../shared/contract/tokens.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { type AuditAction, auditPut, toActor } from "../../shared/tenancy/audit-log.ts";
import { stepped } from "../../shared/tokens/steps.ts";
import { toTokenView } from "../../shared/tokens/token.ts";
import type { TokenStepTrigger } from "../../shared/tokens/token-states.ts";

export const suspendToken: Operations["POST /tokens/{tokenId}/suspend"] = (request) =>
  step(request, "suspend", "token.suspend", request.body);

export const resumeToken: Operations["POST /tokens/{tokenId}/resume"] = (request) =>
  step(request, "resume", "token.resume", request.body);

export const deleteToken: Operations["DELETE /tokens/{tokenId}"] = (request) =>
  step(request, "delete", "token.delete");

const verifications = { approved: "confirm", declined: "fail" } as const;

/** Either this or the passcode decides, also at once. */
export const verifyToken: Operations["POST /tokens/{tokenId}/verify"] = (request) =>
  step(request, verifications[request.body.outcome], "token.verify", request.body);

type Request = Parameters<Operations["DELETE /tokens/{tokenId}"]>[0];

/** @throws ApiError NOT_FOUND, ILLEGAL_TRANSITION */
async function step(
  request: Pick<Request, "scope" | "path" | "requestId">,
  trigger: TokenStepTrigger,
  action: AuditAction,
  { reason }: { readonly reason?: string | undefined } = {},
): Promise<TokenView> {
  const { tenantId, programId } = request.scope;
  const { tokenId } = request.path;
  const audited = { tenantId, programId, action, subjectId: tokenId };
  const { token } = await answerRequest(
    stepped,
    {
      ...{ programId, tokenId, trigger, by: "program", reason },
      audit: (before, after) =>
        auditPut(toActor(request), {
          ...audited,
          before: { state: before.state },
          after: { state: after.state, ...(reason !== undefined && { reason }) },
        }),
    },
    undefined,
  );
  return toTokenView(token);
}
