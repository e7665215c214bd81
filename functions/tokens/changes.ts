import { answerRequest } from "../../shared/changes/execute.ts";
import type { TokenView } from "../../shared/contract/tokens.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { type AuditAction, auditRequest } from "../../shared/tenancy/audit-log.ts";
import { stepped } from "../../shared/tokens/steps.ts";
import { type TokenStepTrigger, toTokenView } from "../../shared/tokens/token.ts";

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

/** @throws ApiError NOT_FOUND, ILLEGAL_TRANSITION */
async function step(
  request: Pick<Parameters<Operations["DELETE /tokens/{tokenId}"]>[0], "scope" | "path" | "requestId">,
  trigger: TokenStepTrigger,
  action: AuditAction,
  { reason }: { readonly reason?: string | undefined } = {},
): Promise<TokenView> {
  const { programId } = request.scope;
  const { tokenId } = request.path;
  const { token } = await answerRequest(
    stepped,
    {
      ...{ programId, tokenId, trigger, by: "program", reason },
      audit: (before, after) =>
        auditRequest(request, action, tokenId, {
          before: { state: before.state },
          after: { state: after.state, ...(reason !== undefined && { reason }) },
        }),
    },
    undefined,
  );
  return toTokenView(token);
}
