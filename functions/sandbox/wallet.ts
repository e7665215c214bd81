import { requestorFor } from "../../shared/adapters/tokens.ts";
import { askVault } from "../../shared/cards/ask-vault.ts";
import { getCard } from "../../shared/cards/card.ts";
import { toTokenNetwork } from "../../shared/contract/card-numbers.ts";
import type { VaultOutput } from "../../shared/contract/vault.ts";
import { WalletPayload } from "../../shared/contract/wallet-payloads.ts";
import { ApiError, invalid } from "../../shared/platform/http/api-error.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { randomToken } from "../../shared/platform/id.ts";
import { askForToken } from "./tokens.ts";

/** The certificates stay; each answer has a new nonce. */
export const viewSandboxWallet: Operations["GET /wallets/certificates"] = () =>
  askVault("sandbox-wallet", {});

/**
 * The wallet uses the payload up and asks for a token. VALIDATION_FAILED for what it cannot open,
 * or too late; ILLEGAL_TRANSITION for what it has opened before.
 */
export const provisionToken: Operations["POST /wallets/provision"] = async ({ scope, body }) => {
  const { programId } = scope;
  const { payload, ...asked } = body;
  const opened = await askVault("open-payload", { programId, payload: WalletPayload.parse(payload) });
  if (opened.outcome === "used") throw new ApiError("ILLEGAL_TRANSITION");
  if (opened.outcome !== "opened")
    throw invalid("body.payload", opened.outcome.replace("-", "_"), faults[opened.outcome]);
  const { cardId, wallet } = opened;
  const network = toTokenNetwork((await getCard(programId, cardId)).bin);
  const requestorId = requestorFor(network, wallet);
  return askForToken(programId, cardId, {
    ...{ wallet, network, requestorId, tokenReference: randomToken(18) },
    ...asked,
  });
};

const faults: Readonly<Record<Exclude<VaultOutput<"open-payload">["outcome"], "opened" | "used">, string>> = {
  unreadable: "was not encrypted for the sandbox's wallet, is of another Program, or was changed",
  "nonce-unknown": "has a nonce that the sandbox's wallet did not give",
  expired: "is older than ten minutes",
};
