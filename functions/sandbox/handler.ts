import { sandboxRoutes } from "../../shared/contract/sandbox.ts";
import { apiHandler } from "../../shared/http/api-handler.ts";
import { advise } from "./advise.ts";
import { authorize } from "./authorize.ts";
import { chargeFee } from "./charge-fee.ts";
import { clearAuthorization } from "./clear-authorization.ts";
import { clearDeposit } from "./clear-deposit.ts";
import { decideChargeback } from "./decide-chargeback.ts";
import { decideIssuance } from "./decide-issuance.ts";
import { decideKyc } from "./decide-kyc.ts";
import { depositInWallet } from "./deposit-in-wallet.ts";
import { depositOnCard } from "./deposit-on-card.ts";
import { duplicateNotification } from "./duplicate-notification.ts";
import { expireAuthorization } from "./expire-authorization.ts";
import { forcePost } from "./force-post.ts";
import { increment } from "./increment.ts";
import { inquireBalance } from "./inquire-balance.ts";
import { openChargeback } from "./open-chargeback.ts";
import { refund } from "./refund.ts";
import { reverseAuthorization } from "./reverse-authorization.ts";
import { reverseDeposit } from "./reverse-deposit.ts";
import { reverseFee } from "./reverse-fee.ts";
import { reverseRefund } from "./reverse-refund.ts";
import { challenge, completeChallenge } from "./three-ds.ts";
import { withdrawCash } from "./withdraw-cash.ts";

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
  "POST /webhooks/events/{transIdSc}/duplicate": duplicateNotification,
});
