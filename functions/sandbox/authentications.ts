import { makeAuthentication } from "../../shared/authentications/ask-authentication.ts";
import {
  type Authentication,
  authentications,
  findEci,
} from "../../shared/authentications/authentication.ts";
import { enterPasscode as passcodeEntered } from "../../shared/authentications/enter-passcode.ts";
import { askVault } from "../../shared/cards/ask-vault.ts";
import { answerRequest } from "../../shared/changes/execute.ts";
import type {
  AuthenticationState,
  SandboxAuthenticationView,
} from "../../shared/contract/authentications.ts";
import { requirePlastic } from "../../shared/plastics/plastic.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { newId } from "../../shared/platform/id.ts";
import { defined } from "../../shared/platform/pick.ts";
import { codeFault } from "./three-ds.ts";

/** ILLEGAL_TRANSITION without 3-D Secure. A Card that cannot be used is rejected, with 200. */
export const requestAuthentication: Operations["POST /cards/{cardId}/authentications"] = async ({
  scope: { programId },
  path: { cardId },
  body,
}) => {
  const { amount, channel, exemptions, billingAddress, device, plasticId, tokenId, ...merchant } = body;
  if (plasticId !== undefined) await requirePlastic(programId, cardId, plasticId);
  const made = await makeAuthentication({
    ...{ programId, cardId, authenticationId: newId("authentication"), amountMinor: amount, merchant },
    ...{ channel, exemptions },
    ...defined({ billingAddress, device, plasticId, tokenId }),
  });
  return toMerchantView(made);
};

export const viewMerchantAuthentication: Operations["GET /authentications/{authenticationId}/result"] =
  async ({ scope: { programId }, path: { authenticationId } }) =>
    toMerchantView(await authentications.at(programId, authenticationId).require());

/** VALIDATION_FAILED for a wrong code; ILLEGAL_TRANSITION if it is decided, late or of the app. */
export const enterPasscode: Operations["POST /authentications/{authenticationId}/passcode"] = async ({
  scope: { programId },
  path: { authenticationId },
  body: { code },
}) => {
  const event = { programId, authenticationId, code };
  const { authentication, failure } = await answerRequest(passcodeEntered, event, undefined);
  if (failure) throw new ApiError("VALIDATION_FAILED", [codeFault(failure)]);
  return toMerchantView(authentication);
};

const proved: ReadonlySet<AuthenticationState> = new Set(["authenticated", "attempted", "exempted"]);

/** The CAVV is computed for each answer, and stored nowhere. */
async function toMerchantView(authentication: Authentication): Promise<SandboxAuthenticationView> {
  const { programId, cardId, entityId: authenticationId, state, network, method, expiresAt } = authentication;
  const isProved = proved.has(state);
  const { cavv } = isProved ? await askVault("compute-cavv", { programId, cardId, authenticationId }) : {};
  return {
    authenticationId,
    state,
    eci: findEci(state, network),
    cavv,
    ...(state === "challenged" && method && expiresAt !== undefined && { challenge: { method, expiresAt } }),
  };
}
