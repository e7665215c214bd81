import { withHotWallets } from "../../shared/ledger/hot/with-hot-wallets.ts";
import { commandHandler } from "../../shared/tenancy/administration/command-handler.ts";

const tenants = () => import("./tenants.ts");
const suspensions = () => import("./suspend.ts");
const credentials = () => import("./credentials.ts");
const programs = () => import("./programs.ts");
const requests = () => import("./requests.ts");
const suspense = () => withHotWallets(import("./suspense.ts"));
const refused = () => import("./refused.ts");
const deadLetters = () => import("./dead-letters.ts");
const approvals = () => withHotWallets(import("./approvals.ts"));
const blocks = () => import("./blocks.ts");
const production = () => import("./production.ts");
const tickets = () => import("./tickets.ts");
const paymentFiles = () => withHotWallets(import("./payment-files.ts"));

/** Platform administration; functions/certificates has the commands that need the CAs' keys. */
export const handler = commandHandler(
  async () => (await import("../../shared/contract/operator.ts")).operatorCommands,
  {
    "create-tenant": async () => (await tenants()).createTenant,
    "suspend-tenant": async () => (await suspensions()).suspendTenant,
    "resume-tenant": async () => (await suspensions()).resumeTenant,
    "suspend-program": async () => (await suspensions()).suspendProgram,
    "resume-program": async () => (await suspensions()).resumeProgram,
    "list-credentials": async () => (await credentials()).listCredentials,
    "revoke-credentials": async () => (await credentials()).revokeCredentials,
    "create-program": async () => (await programs()).createProgram,
    "set-rate-limits": async () => (await programs()).setRateLimits,
    "list-requests": async () => (await requests()).listRequests,
    "approve-bank-account": async () => (await requests()).approveBankAccount,
    "approve-connection": async () => (await requests()).approveConnection,
    "reject-request": async () => (await requests()).rejectRequest,
    "end-connection": async () => (await requests()).endConnection,
    "set-bank-account": async () => (await requests()).setBankAccount,
    "release-bank-account": async () => (await requests()).dropBankAccount,
    "set-bins": async () => (await programs()).setBins,
    "set-card-bin": async () => (await programs()).setCardBin,
    "set-funding-limits": async () => (await programs()).setFundingLimits,
    "set-clearing-delay": async () => (await programs()).setClearingDelay,
    "cancel-deposit": async () => (await withHotWallets(import("./suspense.ts"))).cancelDeposit,
    "send-payments": async () => (await paymentFiles()).sendPayments,
    "list-payment-files": async () => (await paymentFiles()).listPaymentFiles,
    "view-payment-file": async () => (await paymentFiles()).viewPaymentFile,
    "list-suspense": async () => (await suspense()).listSuspense,
    "assign-suspense": async () => (await suspense()).assignSuspense,
    "drop-suspense": async () => (await suspense()).dropSuspense,
    "return-suspense": async () => (await suspense()).returnSuspense,
    "list-refused": async () => (await refused()).listRefusedInputs,
    "view-refused": async () => (await refused()).viewRefusedInput,
    "record-discard": async () => (await deadLetters()).recordDiscard,
    "record-redrive": async () => (await deadLetters()).recordRedrive,
    "create-api-key": async () => (await credentials()).createApiKey,
    "change-api-key": async () => (await credentials()).changeApiKey,
    "revoke-api-key": async () => (await credentials()).revokeApiKey,
    "register-certificate": async () => (await import("./register-certificate.ts")).registerCertificate,
    "revoke-certificate": async () => (await credentials()).revokeCertificate,
    "allow-ip": async () => (await credentials()).allowIp,
    "disallow-ip": async () => (await credentials()).disallowIp,
    "set-notifications": async () => (await tenants()).setNotifications,
    "list-designs": async () => (await approvals()).listDesigns,
    "approve-design": async () => (await approvals()).approveDesign,
    "reject-design": async () => (await approvals()).rejectDesign,
    "list-issuances": async () => (await approvals()).listIssuances,
    "decide-issuance": async () => (await approvals()).decideIssuance,
    "export-production": async () => (await production()).exportProduction,
    "list-production": async () => (await production()).listProduction,
    "refuse-cardholder": async () => (await blocks()).refuseCardholder,
    "block-card": async () => (await blocks()).blockCard,
    "unblock-card": async () => (await blocks()).unblockCard,
    "block-cardholder": async () => (await blocks()).blockCardholder,
    "unblock-cardholder": async () => (await blocks()).unblockCardholder,
    "list-tickets": async () => (await tickets()).listTickets,
    "view-ticket": async () => (await tickets()).viewTicket,
    "answer-ticket": async () => (await tickets()).answerTicket,
    "resolve-ticket": async () => (await tickets()).resolveTicket,
  },
);
