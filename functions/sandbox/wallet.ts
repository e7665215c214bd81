import { askVault } from "../../shared/cards/ask-vault.ts";
import type { Operations } from "../../shared/platform/http/request.ts";

/** The certificates stay; each answer has a new nonce. */
export const viewSandboxWallet: Operations["GET /wallets/certificates"] = () =>
  askVault("sandbox-wallet", {});
