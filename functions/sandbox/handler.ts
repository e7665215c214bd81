import { apiHandler, endpoints } from "../../shared/platform/http/api-handler.ts";

export const handler = apiHandler(
  endpoints(async () => (await import("../../shared/contract/sandbox.ts")).sandboxRoutes, {
    "POST /cardholders/{cardholderId}/kyc-outcome": async () => (await import("./decide-kyc.ts")).decideKyc,
    "POST /cards/{cardId}/approval": async () => (await import("./decide-issuance.ts")).decideIssuance,
    "POST /cards/{cardId}/deposits": async () => (await import("./deposit-on-card.ts")).depositOnCard,
    "POST /wallets/{walletId}/deposits": async () => (await import("./deposit-in-wallet.ts")).depositInWallet,
    "POST /deposits/{depositId}/clear": async () => (await import("./clear-deposit.ts")).clearDeposit,
    "POST /deposits/{depositId}/reverse": async () => (await import("./reverse-deposit.ts")).reverseDeposit,
    "POST /deposits/{depositId}/return": async () => (await import("./return-deposit.ts")).returnDeposit,
  }),
  endpoints(async () => (await import("../../shared/contract/sandbox-network.ts")).sandboxNetworkRoutes, {
    "POST /cards/{cardId}/authorizations": async () => (await import("./authorize.ts")).authorize,
    "POST /cards/{cardId}/authorization-advices": async () => (await import("./advise.ts")).advise,
    "POST /authorizations/{authorizationId}/increment": async () =>
      (await import("./increment.ts")).increment,
    "POST /authorizations/{authorizationId}/clear": async () =>
      (await import("./clear-authorization.ts")).clearAuthorization,
    "POST /authorizations/{authorizationId}/reverse": async () =>
      (await import("./reverse-authorization.ts")).reverseAuthorization,
    "POST /authorizations/{authorizationId}/expire": async () =>
      (await import("./expire-authorization.ts")).expireAuthorization,
    "POST /cards/{cardId}/force-post": async () => (await import("./force-post.ts")).forcePost,
    "POST /cards/{cardId}/refunds": async () => (await import("./refund.ts")).refund,
    "POST /cards/{cardId}/refunds/{transId}/reverse": async () =>
      (await import("./reverse-refund.ts")).reverseRefund,
    "POST /cards/{cardId}/atm-withdrawals": async () => (await import("./withdraw-cash.ts")).withdrawCash,
    "POST /cards/{cardId}/fees": async () => (await import("./charge-fee.ts")).chargeFee,
    "POST /cards/{cardId}/fees/{feeId}/reverse": async () => (await import("./reverse-fee.ts")).reverseFee,
    "POST /cards/{cardId}/balance-inquiries": async () =>
      (await import("./inquire-balance.ts")).inquireBalance,
    "POST /cards/{cardId}/chargebacks": async () => (await import("./open-chargeback.ts")).openChargeback,
    "POST /chargebacks/{chargebackId}/outcome": async () =>
      (await import("./decide-chargeback.ts")).decideChargeback,
  }),
  endpoints(async () => (await import("../../shared/contract/three-ds.ts")).threeDsRoutes, {
    "POST /cards/{cardId}/three-ds-challenges": async () => (await import("./three-ds.ts")).challenge,
    "POST /three-ds-challenges/{challengeId}/complete": async () =>
      (await import("./three-ds.ts")).completeChallenge,
  }),
  endpoints(async () => (await import("../../shared/contract/webhooks.ts")).webhookSandboxRoutes, {
    "POST /webhooks/events/{transIdSc}/duplicate": async () =>
      (await import("./duplicate-notification.ts")).duplicateNotification,
  }),
);
