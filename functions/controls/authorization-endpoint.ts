import { type Reply, toAsks } from "../../shared/authorizations/decisions/ask.ts";
import type {
  AuthorizationEndpointView,
  AuthorizationQuestion,
} from "../../shared/contract/authorization-endpoint.ts";
import type { AuthorizationEndpoint } from "../../shared/controls/authorization-endpoint.ts";
import { putInForce } from "../../shared/controls/commit-control.ts";
import { noProgramControls, programRulebooks } from "../../shared/controls/rulebooks.ts";
import { receiverFault } from "../../shared/platform/callbacks/receiver.ts";
import { isRotating, newSigningSecret, rotateSecrets } from "../../shared/platform/callbacks/signature.ts";
import { now, timestamp } from "../../shared/platform/clock.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import type { Operations, ProgramScope } from "../../shared/platform/http/request.ts";
import { newId } from "../../shared/platform/id.ts";
import { isNew } from "../../shared/platform/table/condition.ts";
import { Conflict } from "../../shared/platform/table/retry.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import { askOnce } from "../../shared/questions/ask.ts";
import { type AuditAction, auditRequest } from "../../shared/tenancy/audit-log.ts";

/**
 * The secret of an endpoint that was there before stays.
 * @throws ApiError VALIDATION_FAILED for a URL that cannot receive questions
 */
export const putAuthorizationEndpoint: Operations["PUT /authorization-endpoint"] = async (request) => {
  const { body } = request;
  const fault = await receiverFault(body.url, "body.url");
  if (fault) throw new ApiError("VALIDATION_FAILED", [fault]);
  const added = { secret: newSigningSecret(), createdAt: timestamp() };
  const { before, after } = await changeEndpoint(request, "authorization-endpoint.put", (stored) => ({
    ...(stored ? keptByPut(stored) : added),
    ...body,
  }));
  return { ...toView(after), ...(!before && { secret: after.secret }) };
};

/** All else is replaced: what is left out has its default. */
function keptByPut({ secret, previousSecret, previousSecretExpiresAt, createdAt }: AuthorizationEndpoint) {
  return {
    ...{ secret, createdAt },
    ...(previousSecret !== undefined && { previousSecret, previousSecretExpiresAt }),
  };
}

export const viewAuthorizationEndpoint: Operations["GET /authorization-endpoint"] = async ({ scope }) =>
  toView(await requireEndpoint(scope));

export const deleteAuthorizationEndpoint: Operations["DELETE /authorization-endpoint"] = async (request) => {
  await changeEndpoint(request, "authorization-endpoint.delete", (stored) => {
    if (!stored) throw new ApiError("NOT_FOUND");
    return undefined;
  });
  return {};
};

export const rotateAuthorizationSecret: Operations["POST /authorization-endpoint/rotate-secret"] = async (
  request,
) => {
  const secret = newSigningSecret();
  const { after } = await changeEndpoint(request, "authorization-endpoint.rotate-secret", (stored) => {
    if (!stored) throw new ApiError("NOT_FOUND");
    return { ...stored, ...rotateSecrets(stored, secret, now()) };
  });
  return { ...toView(after), secret };
};

/** Asks even if the endpoint is known to be down. */
export const pingAuthorizationEndpoint: Operations["POST /authorization-endpoint/ping"] = async ({
  scope,
}) => {
  const endpoint = await requireEndpoint(scope);
  const startedAt = now();
  const deadlineAt = new Date(startedAt.getTime() + endpoint.deadlineMs);
  const question = testQuestion(scope, deadlineAt);
  const { reply } = await askOnce(endpoint, toAsks(question), deadlineAt);
  const latencyMs = now().getTime() - startedAt.getTime();
  return { question, ...toPingOutcome(reply), latencyMs };
};

function toPingOutcome(reply: Reply) {
  switch (reply.kind) {
    case "approve":
      return { outcome: "approved", amount: reply.amountMinor } as const;
    case "decline":
      return { outcome: "declined", reason: reply.reason } as const;
    default:
      return { outcome: reply.kind, detail: reply.detail };
  }
}

/** All fields, as the network may send them. */
function testQuestion({ currency }: ProgramScope, deadlineAt: Date): AuthorizationQuestion {
  return {
    type: "authorization.test",
    kind: "authorization",
    eventId: newId("event"),
    authorizationId: newId("hold"),
    cardId: newId("card"),
    cardholderId: newId("cardholder"),
    amount: 1_000,
    currency,
    merchantAmount: 920,
    merchantCurrency: "978",
    availableBalance: 5_000,
    merchant: { name: "Test question", id: "M-0001", mcc: "5411", city: "Berlin", country: "DE" },
    entryMode: "chip",
    partialApprovalSupported: true,
    deadline: timestamp(deadlineAt),
  };
}

async function requireEndpoint({ programId }: ProgramScope): Promise<AuthorizationEndpoint> {
  const { endpoint } = await programRulebooks.at(programId).require();
  if (!endpoint) throw new ApiError("NOT_FOUND");
  return endpoint;
}

/** When it returns, every process obeys the change. @throws ContendedError */
async function changeEndpoint<After extends AuthorizationEndpoint | undefined>(
  request: Pick<Parameters<Operations["DELETE /authorization-endpoint"]>[0], "scope" | "requestId">,
  action: AuditAction,
  change: (before: AuthorizationEndpoint | undefined) => After,
) {
  const { programId } = request.scope;
  return putInForce(async () => {
    const rulebook = programRulebooks.at(programId);
    const stored = (await rulebook.get()) ?? noProgramControls;
    const { version, endpoint: before, ...others } = stored;
    const after = change(before);
    const changed = {
      ...others,
      version: version + 1,
      outdatedAt: timestamp(),
      ...(after && { endpoint: after }),
    };
    const outcome = await transact([
      rulebook.put(changed, version === 0 ? isNew : { version }),
      auditRequest(request, action, programId, {
        before: before ? toView(before) : null,
        after: after ? toView(after) : null,
      }),
    ]);
    return outcome.committed
      ? { before, after, mustWait: true }
      : new Conflict(...outcome.failedConditions.keys());
  });
}

/** Shows no secret. */
function toView(endpoint: AuthorizationEndpoint): AuthorizationEndpointView {
  const { url, deadlineMs, standIn, createdAt, previousSecretExpiresAt } = endpoint;
  const { questions, tokenStandIn, authenticationStandIn } = endpoint;
  return {
    ...{ url, deadlineMs, standIn, dateCreated: createdAt, tokenStandIn, authenticationStandIn },
    ...(questions && { questions: [...questions] }),
    ...(isRotating(endpoint, now()) && { previousSecretExpiresAt }),
  };
}
