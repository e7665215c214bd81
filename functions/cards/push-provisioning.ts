import { askVault } from "../../shared/cards/ask-vault.ts";
import { getCard } from "../../shared/cards/card.ts";
import { toCardStatusError } from "../../shared/cards/card-status.ts";
import { isBlocked } from "../../shared/cards/usable.ts";
import { CardStatus } from "../../shared/contract/enums.ts";
import { WalletRequest } from "../../shared/contract/wallet-payloads.ts";
import { toShownPlastic, toVaultCard } from "../../shared/plastics/plastic.ts";
import { ApiError, invalid } from "../../shared/platform/http/api-error.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import { auditRequest } from "../../shared/tenancy/audit-log.ts";

/**
 * As for a reveal, the audit entry is written before the answer leaves.
 * @throws ApiError ILLEGAL_TRANSITION for a Card that is not Active: its wallet's request would be
 * declined; VALIDATION_FAILED for a certificate that the wallet's roots do not vouch for
 */
export const pushProvision: Operations["POST /cards/{cardId}/push-provisioning"] = async (request) => {
  const { programId } = request.scope;
  const card = await getCard(programId, request.path.cardId);
  const isActive = card.issuerCardStatus === CardStatus.active && !isBlocked(card);
  if (!isActive) throw toCardStatusError(card, [CardStatus.active]);
  const { nameOnCard } = card;
  const asked = WalletRequest.parse(request.body);
  const { wallet } = asked;
  const given = { ...toVaultCard(programId, toShownPlastic(card)), nameOnCard, request: asked };
  const answer = await askVault("provision", given);
  const isMade = answer.outcome === "provisioned";
  const action = isMade ? "push-provisioning" : "push-provisioning.reject";
  const after = isMade ? { wallet } : { wallet, reason: answer.outcome };
  await transact([auditRequest(request, action, card.entityId, { before: null, after })]);
  switch (answer.outcome) {
    case "limited":
      throw new ApiError("RATE_LIMITED");
    case "wallet-not-set-up":
      throw invalid("body.wallet", "not_set_up", "is not set up in this environment");
    case "certificate-invalid":
      throw invalid(`body.certificates.${answer.place}`, "invalid_certificate", answer.reason);
  }
  return answer.payload;
};
