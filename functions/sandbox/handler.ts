import { sandboxRoutes } from "../../shared/contract/sandbox.ts";
import { apiHandler } from "../../shared/http/api-handler.ts";
import { advise, authorize, increment } from "./authorize.ts";
import { chargeFee, reverseFee } from "./charge-fee.ts";
import { clearAuthorization } from "./clear-authorization.ts";
import { clearDeposit } from "./clear-deposit.ts";
import { decideIssuance } from "./decide-issuance.ts";
import { decideKyc } from "./decide-kyc.ts";
import { depositInWallet } from "./deposit-in-wallet.ts";
import { depositOnCard } from "./deposit-on-card.ts";
import { decideChargeback, openChargeback } from "./dispute.ts";
import { forcePost, inquireBalance, refund, reverseRefund, withdrawCash } from "./post-on-card.ts";
import { expireAuthorization, reverseAuthorization } from "./release-authorization.ts";
import { reverseDeposit } from "./reverse-deposit.ts";
import { challenge, completeChallenge } from "./three-ds.ts";

export const handler = apiHandler(sandboxRoutes, {
  "POST /cardholders/{cardholderId}/kyc-outcome": decideKyc,
  "POST /cards/{cardId}/approval": decideIssuance,
  "POST /cards/{cardId}/deposits": depositOnCard,
  "POST /wallets/{walletId}/deposits": depositInWallet,
  "POST /deposits/{depositId}/clear": clearDeposit,
  "POST /deposits/{depositId}/reverse": reverseDeposit,
  "POST /cards/{cardId}/authorizations": authorize,
  "POST /cards/{cardId}/authorization-advices": advise,
  "POST /authorizations/{authorizationId}/increment": increment,
  "POST /authorizations/{authorizationId}/clear": clearAuthorization,
  "POST /authorizations/{authorizationId}/reverse": reverseAuthorization,
  "POST /authorizations/{authorizationId}/expire": expireAuthorization,
  "POST /cards/{cardId}/force-post": forcePost,
  "POST /cards/{cardId}/refunds": refund,
  "POST /cards/{cardId}/refunds/{transId}/reverse": reverseRefund,
  "POST /cards/{cardId}/atm-withdrawals": withdrawCash,
  "POST /cards/{cardId}/fees": chargeFee,
  "POST /cards/{cardId}/fees/{feeId}/reverse": reverseFee,
  "POST /cards/{cardId}/balance-inquiries": inquireBalance,
  "POST /cards/{cardId}/chargebacks": openChargeback,
  "POST /chargebacks/{chargebackId}/outcome": decideChargeback,
  "POST /cards/{cardId}/three-ds-challenges": challenge,
  "POST /three-ds-challenges/{challengeId}/complete": completeChallenge,
});
