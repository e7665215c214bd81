import { withHotWallets } from "../../shared/ledger/hot/with-hot-wallets.ts";
import { apiHandler, routeGroup } from "../../shared/platform/http/api-handler.ts";

const authorizations = () => withHotWallets(import("./authorizations.ts"));
const settlements = () => withHotWallets(import("./settlements.ts"));
const deposits = () => withHotWallets(import("./deposits.ts"));
const disputes = () => withHotWallets(import("./disputes.ts"));
const decisions = () => withHotWallets(import("./decisions.ts"));
const states = () => withHotWallets(import("./states.ts"));
const authentications = () => withHotWallets(import("./authentications.ts"));
const tokens = () => withHotWallets(import("./tokens.ts"));
const payments = () => withHotWallets(import("./payments.ts"));
const wallet = () => withHotWallets(import("./wallet.ts"));
const externalAccounts = () => withHotWallets(import("./external-accounts.ts"));
const threeDs = () => withHotWallets(import("./three-ds.ts"));

export const handler = apiHandler(
  routeGroup(async () => (await import("../../shared/contract/sandbox.ts")).sandboxRoutes, {
    "POST /cardholders/{cardholderId}/kyc-outcome": async () => (await decisions()).decideKyc,
    "POST /cards/{cardId}/approval": async () => (await decisions()).decideIssuance,
    "POST /cards/{cardId}/shipping": async () => (await decisions()).reportShipping,
    "POST /cards/{cardId}/deposits": async () => (await deposits()).depositOnCard,
    "POST /wallets/{walletId}/deposits": async () => (await deposits()).depositInWallet,
    "POST /deposits/{depositId}/clear": async () => (await deposits()).clearDeposit,
    "POST /deposits/{depositId}/reverse": async () => (await deposits()).reverseDeposit,
    "POST /deposits/{depositId}/return": async () => (await deposits()).returnDeposit,
  }),
  routeGroup(async () => (await import("../../shared/contract/sandbox.ts")).sandboxNetworkRoutes, {
    "POST /cards/{cardId}/authorizations": async () => (await authorizations()).authorize,
    "POST /cards/{cardId}/authorization-advices": async () => (await authorizations()).advise,
    "POST /authorizations/{authorizationId}/increment": async () => (await authorizations()).increment,
    "POST /authorizations/{authorizationId}/clear": async () => (await authorizations()).clearAuthorization,
    "POST /authorizations/{authorizationId}/reverse": async () =>
      (await authorizations()).reverseAuthorization,
    "POST /authorizations/{authorizationId}/expire": async () => (await authorizations()).expireAuthorization,
    "POST /cards/{cardId}/force-post": async () => (await settlements()).forcePost,
    "POST /cards/{cardId}/refunds": async () => (await settlements()).refund,
    "POST /cards/{cardId}/refunds/{transId}/reverse": async () => (await settlements()).reverseRefund,
    "POST /cards/{cardId}/atm-withdrawals": async () => (await settlements()).withdrawCash,
    "POST /cards/{cardId}/fees": async () => (await settlements()).chargeFee,
    "POST /cards/{cardId}/fees/{feeId}/reverse": async () => (await settlements()).reverseFee,
    "POST /cards/{cardId}/balance-inquiries": async () => (await settlements()).inquireBalance,
    "POST /cards/{cardId}/chargebacks": async () => (await disputes()).openChargeback,
    "POST /chargebacks/{chargebackId}/outcome": async () => (await disputes()).decideChargeback,
    "POST /disputes/{disputeId}/outcome": async () => (await disputes()).decideDispute,
  }),
  routeGroup(async () => (await import("../../shared/contract/payouts.ts")).payoutSandboxRoutes, {
    "POST /payouts/{payoutId}/outcome": async () => (await payments()).reportPayout,
    "POST /payment-files": async () => (await payments()).makePaymentFiles,
  }),
  routeGroup(async () => (await import("../../shared/contract/pulls.ts")).pullSandboxRoutes, {
    "POST /pulls/{pullId}/outcome": async () => (await payments()).reportPull,
  }),
  routeGroup(async () => (await import("../../shared/contract/custody.ts")).custodySandboxRoutes, {
    "POST /deposits": async () => (await deposits()).depositAtAddress,
  }),
  routeGroup(async () => (await import("../../shared/contract/sandbox-states.ts")).sandboxStateRoutes, {
    "POST /cards/{cardId}/processing-errors": async () => (await states()).recordError,
    "POST /wallets/transfers": async () => (await states()).recordTransfer,
    "POST /wallets/{walletId}/transfers/{transferId}/outcome": async () => (await states()).decideTransfer,
  }),
  routeGroup(async () => (await import("../../shared/contract/push-provisioning.ts")).walletSandboxRoutes, {
    "GET /wallets/certificates": async () => (await wallet()).viewSandboxWallet,
    "POST /wallets/provision": async () => (await wallet()).provisionToken,
  }),
  routeGroup(
    async () => (await import("../../shared/contract/authentications.ts")).authenticationSandboxRoutes,
    {
      "POST /cards/{cardId}/authentications": async () => (await authentications()).requestAuthentication,
      "GET /authentications/{authenticationId}/result": async () =>
        (await authentications()).viewMerchantAuthentication,
      "POST /authentications/{authenticationId}/passcode": async () =>
        (await authentications()).enterPasscode,
    },
  ),
  routeGroup(async () => (await import("../../shared/contract/otp.ts")).threeDsRoutes, {
    "POST /cards/{cardId}/three-ds-challenges": async () => (await threeDs()).challenge,
    "POST /three-ds-challenges/{challengeId}/complete": async () => (await threeDs()).completeChallenge,
  }),
  routeGroup(async () => (await import("../../shared/contract/tokens.ts")).tokenSandboxRoutes, {
    "POST /cards/{cardId}/token-requests": async () => (await tokens()).requestToken,
    "POST /tokens/{tokenId}/passcode": async () => (await tokens()).enterTokenPasscode,
    "POST /tokens/{tokenId}/wallet-event": async () => (await tokens()).sendWalletEvent,
  }),
  routeGroup(
    async () => (await import("../../shared/contract/external-accounts.ts")).externalAccountSandboxRoutes,
    {
      "POST /external-accounts/{externalAccountId}/check": async () =>
        (await externalAccounts()).checkExternalAccount,
      "GET /external-accounts/{externalAccountId}/micro-deposits": async () =>
        (await externalAccounts()).viewMicroDeposits,
    },
  ),
  routeGroup(async () => (await import("../../shared/contract/webhooks.ts")).webhookSandboxRoutes, {
    "POST /webhooks/events/{transIdSc}/duplicate": async () =>
      (await import("./notifications.ts")).duplicateNotification,
  }),
  routeGroup(async () => (await import("../../shared/contract/settlements.ts")).settlementSandboxRoutes, {
    "POST /settlements/{date}/file": async () => (await import("./settlement-file.ts")).feedSettlementFile,
  }),
);
