import type * as z from "zod";
import type { SandboxTokenResponse, TokenRequest } from "../../shared/contract/tokens.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { newId, randomToken } from "../../shared/platform/id.ts";
import { applyTokenRequest } from "../../shared/tokens/ask-token.ts";
import { tokens, toTokenView } from "../../shared/tokens/token.ts";
import { tokenChanges } from "../../shared/tokens/token-events.ts";
import { apply, requireApplied, requireFields } from "./execute-event.ts";
import { codeFault } from "./three-ds.ts";

/** ILLEGAL_TRANSITION for a reference that is of another Card's token. */
export const requestToken: Operations["POST /cards/{cardId}/token-requests"] = async ({
  scope: { programId },
  path: { cardId },
  body: { tokenReference = randomToken(18), ...body },
}) => askForToken(programId, cardId, { tokenReference, ...body });

export async function askForToken(
  programId: string,
  cardId: string,
  asked: Omit<z.output<typeof TokenRequest>, "kind" | "eventId" | "programId" | "cardId">,
): Promise<z.output<typeof SandboxTokenResponse>> {
  const event = { kind: "token_request", eventId: newId("event"), programId, cardId, ...asked } as const;
  const result = requireApplied(await applyTokenRequest(event));
  const { tokenId, tokenState, tokenOutcome, decidedBy } = requireFields(
    ...(["tokenId", "tokenState", "tokenOutcome", "decidedBy"] as const),
  )(result);
  const { declineReason } = result;
  return { tokenId, state: tokenState, outcome: tokenOutcome, declineReason, decidedBy };
}

/** VALIDATION_FAILED for a wrong or expired code, ILLEGAL_TRANSITION if it is decided. */
export const enterTokenPasscode: Operations["POST /tokens/{tokenId}/passcode"] = async ({
  scope: { programId },
  path: { tokenId },
  body: { code },
}) => {
  const { cardId } = await tokens.at(programId, tokenId).require();
  const ids = { eventId: newId("event"), programId, cardId, tokenId };
  const event = { kind: "token_passcode", ...ids, code } as const;
  const { authenticationFailure: failure } = await apply(tokenChanges.token_passcode, event);
  if (failure !== undefined) throw new ApiError("VALIDATION_FAILED", [codeFault(failure)]);
  return toTokenView(await tokens.at(programId, tokenId).require());
};

export const sendWalletEvent: Operations["POST /tokens/{tokenId}/wallet-event"] = async ({
  scope: { programId },
  path: { tokenId },
  body,
}) => {
  const { cardId } = await tokens.at(programId, tokenId).require();
  const ids = { eventId: newId("event"), programId, cardId, tokenId };
  const event = { kind: "token_notice", ...ids, ...body } as const;
  await apply(tokenChanges.token_notice, event);
  return toTokenView(await tokens.at(programId, tokenId).require());
};
