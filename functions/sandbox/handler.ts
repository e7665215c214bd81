import { sandboxRoutes } from "../../shared/contract/sandbox.ts";
import { apiHandler } from "../../shared/http/api-handler.ts";
import { clearDeposit } from "./clear-deposit.ts";
import { decideIssuance } from "./decide-issuance.ts";
import { decideKyc } from "./decide-kyc.ts";
import { depositInWallet } from "./deposit-in-wallet.ts";
import { depositOnCard } from "./deposit-on-card.ts";
import { reverseDeposit } from "./reverse-deposit.ts";

export const handler = apiHandler(sandboxRoutes, {
  "POST /cardholders/{cardholderId}/kyc-outcome": decideKyc,
  "POST /cards/{cardId}/approval": decideIssuance,
  "POST /cards/{cardId}/deposits": depositOnCard,
  "POST /wallets/{walletId}/deposits": depositInWallet,
  "POST /deposits/{depositId}/clear": clearDeposit,
  "POST /deposits/{depositId}/reverse": reverseDeposit,
});
