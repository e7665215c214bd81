import type { AuthorizationQuestion } from "../../shared/contract/authorization-endpoint.ts";
import type { AuthorizationEndpoint } from "../../shared/controls/authorization-endpoint.ts";
import { newSigningSecret } from "../../shared/platform/callbacks/signature.ts";
import { newId } from "../../shared/platform/id.ts";

export function givenEndpoint(url: string): AuthorizationEndpoint {
  const standIn = { timeout: "decline", connectionError: "decline", badAnswer: "decline" } as const;
  return { url, deadlineMs: 500, standIn, secret: newSigningSecret(), createdAt: new Date().toISOString() };
}

export function givenQuestion(given: Partial<AuthorizationQuestion> = {}): AuthorizationQuestion {
  return {
    type: "authorization.requested",
    kind: "authorization",
    eventId: newId("event"),
    authorizationId: newId("hold"),
    cardId: newId("card"),
    cardholderId: newId("cardholder"),
    amount: 3_000,
    currency: 0,
    availableBalance: 47_000,
    merchant: {},
    partialApprovalSupported: false,
    deadline: new Date(Date.now() + 500).toISOString(),
    ...given,
  };
}
