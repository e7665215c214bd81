import * as z from "zod";
import { DecidedBy } from "./authorization-endpoint.ts";
import { Balances } from "./balances.ts";
import { entryMode, merchantFields, originalTransId, settlementFields } from "./card-network.ts";
import { CardholderView } from "./cardholders.ts";
import { CardViewMasked } from "./cards.ts";
import { DisputeStatus, DisputeView } from "./disputes.ts";
import { ChargebackDecision, Currency, FeeType, IssuanceDecision, SandboxKycStatus } from "./enums.ts";
import { amount, id, integerEnum, memo, positiveAmount, text } from "./primitives.ts";
import { routesWith } from "./route.ts";
import { shippingReport } from "./shipping.ts";
import { AuthorizationDeclineReason } from "./transactions.ts";
import {
  BillingAddress,
  CheckResult,
  entryCapability,
  presentedIds,
  storedCredential,
  terminalId,
} from "./verification.ts";

export const SandboxDeposit = z.object({
  amount: positiveAmount,
  /** Whether the deposit starts as pending. false clears it at once. */
  pending: z.boolean().default(true),
  chain: text(32).optional(),
  asset: text(32).optional(),
  txHash: text(128).optional(),
});

/** The new balances of the Card or Wallet. */
export const SandboxDepositResponse = Balances.extend({
  depositId: id("deposit"),
  /** Identifies a deposit in suspense, which the Card could not take. */
  suspenseId: id("suspense").optional(),
});

const route = routesWith({ api: "sandbox", function: "sandbox" });
const moneyRoute = routesWith({ api: "sandbox", function: "sandbox", movesFunds: true });

export const SandboxChargeback = z.object({
  /** The disputed purchase or ATM withdrawal. It must be cleared. */
  transId: id("transaction"),
  /** The disputed amount in minor units. Default: the whole transaction. */
  amount: positiveAmount.optional(),
});

export const SandboxChargebackOutcome = z.object({
  status: integerEnum(ChargebackDecision),
});

export const SandboxDisputeOutcome = z.object({
  /** pending_customer asks for more. new and submitted are not the network's to say. */
  status: DisputeStatus,
});

export const sandboxRoutes = [
  route(
    "POST /cardholders/{cardholderId}/kyc-outcome",
    "write decideKyc",
    "Decide a Cardholder's compliance review",
    {
      body: z.object({ status: integerEnum(SandboxKycStatus) }),
      data: CardholderView,
      errors: ["ILLEGAL_TRANSITION"],
    },
  ),
  route("POST /cards/{cardId}/approval", "write decideIssuance", "Approve or decline an issuance", {
    body: z.object({ cardStatus: integerEnum(IssuanceDecision) }),
    data: CardViewMasked,
    errors: ["ILLEGAL_TRANSITION"],
  }),
  route("POST /cards/{cardId}/shipping", "write reportShipping", "Report where a physical card is", {
    body: z.object(shippingReport),
    data: CardViewMasked,
    errors: ["ILLEGAL_TRANSITION"],
  }),
  moneyRoute(
    "POST /cards/{cardId}/deposits",
    "money depositOnCard",
    "Receive a digital-asset deposit on a Card",
    { body: SandboxDeposit, data: SandboxDepositResponse },
  ),
  moneyRoute(
    "POST /wallets/{walletId}/deposits",
    "money depositInWallet",
    "Receive a digital-asset deposit in a Wallet",
    { body: SandboxDeposit, data: SandboxDepositResponse },
  ),
  moneyRoute("POST /deposits/{depositId}/clear", "money clearDeposit", "Clear a pending deposit", {
    data: SandboxDepositResponse,
    errors: ["ILLEGAL_TRANSITION"],
  }),
  moneyRoute("POST /deposits/{depositId}/reverse", "money reverseDeposit", "Reverse a pending deposit", {
    data: SandboxDepositResponse,
    errors: ["ILLEGAL_TRANSITION"],
  }),
  moneyRoute(
    "POST /deposits/{depositId}/return",
    "money returnDeposit",
    "Return a deposit: a cleared one is debited, a pending one reversed",
    { data: SandboxDepositResponse, errors: ["ILLEGAL_TRANSITION"] },
  ),
] as const;

/** Each endpoint sends one event of the emulated card network and returns its result. */

/** How the card is presented. */
const presentedFields = { ...presentedIds, terminalId, entryCapability, storedCredential };
/** As the payer gave it to the merchant. */
const SandboxBillingAddress = BillingAddress.omit({ isHouseNumber: true });
/** What a check came to. A `mismatch` declines. */
const checkResult = CheckResult.optional();

export const SandboxIncrement = z.object({ amount: positiveAmount, ...merchantFields });

export const SandboxAuthorization = SandboxIncrement.extend({
  /** Whether the terminal accepts an approval of less than `amount`. Default: false. */
  partialApprovalSupported: z.boolean().optional(),
  entryMode,
  ...presentedFields,
  /** The platform compares it with the Cardholder's address. */
  billingAddress: SandboxBillingAddress.optional(),
  cvc: checkResult,
  expiry: checkResult,
  pin: checkResult,
});

export const SandboxAdvice = SandboxIncrement.extend({
  /** The authorization to increase. Default: a new one. */
  authorizationId: id("hold").optional(),
  /** The network approved on the platform's behalf. */
  standIn: z.boolean().default(false),
  ...presentedFields,
});

export const SandboxClearing = z.object({
  /** In minor units. Default: the whole hold. */
  amount: positiveAmount.optional(),
  /** true releases the rest of the hold; false releases `amount` of it. */
  final: z.boolean().default(true),
  ...settlementFields,
});

export const SandboxReversal = z.object({
  /** In minor units. Default: the whole hold. */
  amount: positiveAmount.optional(),
});

export const SandboxPosting = z.object({
  amount: positiveAmount,
  ...settlementFields,
});

export const SandboxForcePost = SandboxPosting.extend(presentedFields);

export const SandboxRefund = SandboxPosting.extend({ originalTransId });

export const SandboxAtmWithdrawal = SandboxPosting.extend({
  /** In minor units. Default: the Program's scheduled fee, or none. */
  feeAmount: z.union([z.literal(0), positiveAmount]).optional(),
  /** The network has already approved it: it is posted without a decision. */
  advice: z.boolean().optional(),
  entryMode,
  ...presentedFields,
  expiry: checkResult,
  pin: checkResult,
});

export const SandboxFee = z.object({
  feeType: integerEnum(FeeType),
  amount: positiveAmount,
  relatedTransId: id("transaction").optional(),
  description: memo.optional(),
});

export const SandboxBalanceInquiry = z.object(merchantFields);

/** A decline has its reason, and no balances. */
export const SandboxBalanceInquiryResponse = Balances.partial().extend({
  approved: z.boolean(),
  declineReason: AuthorizationDeclineReason.optional(),
  currency: integerEnum(Currency).optional(),
  transId: id("transaction"),
});

const networkDecision = {
  approved: z.boolean(),
  declineReason: AuthorizationDeclineReason.optional(),
  /** The spend control that declined it. */
  controlId: id("control").optional(),
  /** Who approved or declined, where the Program has an authorization endpoint. */
  decidedBy: DecidedBy.optional(),
  amount,
  transId: id("transaction"),
};

/** `amount` is the approved amount in minor units. 0 for a decline. */
export const SandboxAuthorizationResponse = z.object({
  authorizationId: id("hold"),
  ...networkDecision,
});

/** `amount` is the withdrawn amount in minor units; 0 for a decline. */
export const SandboxAtmWithdrawalResponse = z.object({
  ...networkDecision,
  feeId: id("fee").optional(),
});

export const SandboxPostingResponse = Balances.extend({ transId: id("transaction") });

export const sandboxNetworkRoutes = [
  moneyRoute("POST /cards/{cardId}/authorizations", "money authorize", "Request an authorization", {
    body: SandboxAuthorization,
    data: SandboxAuthorizationResponse,
  }),
  moneyRoute(
    "POST /cards/{cardId}/authorization-advices",
    "money advise",
    "Send an authorization advice: the network has already approved",
    { body: SandboxAdvice, data: SandboxAuthorizationResponse, errors: ["ILLEGAL_TRANSITION"] },
  ),
  moneyRoute(
    "POST /authorizations/{authorizationId}/increment",
    "money increment",
    "Increase an authorization",
    { body: SandboxIncrement, data: SandboxAuthorizationResponse },
  ),
  moneyRoute(
    "POST /authorizations/{authorizationId}/clear",
    "money clearAuthorization",
    "Clear an authorization",
    { body: SandboxClearing, data: SandboxPostingResponse, errors: ["REFERENCE_EXISTS"] },
  ),
  moneyRoute(
    "POST /authorizations/{authorizationId}/reverse",
    "money reverseAuthorization",
    "Reverse an authorization, or a part of it",
    { body: SandboxReversal, data: Balances, errors: ["ILLEGAL_TRANSITION"] },
  ),
  moneyRoute(
    "POST /authorizations/{authorizationId}/expire",
    "money expireAuthorization",
    "Expire an authorization",
    { data: Balances, errors: ["ILLEGAL_TRANSITION"] },
  ),
  moneyRoute(
    "POST /cards/{cardId}/force-post",
    "money forcePost",
    "Force post a purchase without an authorization",
    { body: SandboxForcePost, data: SandboxPostingResponse, errors: ["REFERENCE_EXISTS"] },
  ),
  moneyRoute("POST /cards/{cardId}/refunds", "money refund", "Refund a purchase", {
    body: SandboxRefund,
    data: SandboxPostingResponse,
    errors: ["REFERENCE_EXISTS", "ILLEGAL_TRANSITION"],
  }),
  moneyRoute("POST /cards/{cardId}/refunds/{transId}/reverse", "money reverseRefund", "Reverse a refund", {
    data: SandboxPostingResponse,
    errors: ["ILLEGAL_TRANSITION"],
  }),
  moneyRoute(
    "POST /cards/{cardId}/atm-withdrawals",
    "money withdrawCash",
    "Withdraw cash at an ATM, with its fee",
    { body: SandboxAtmWithdrawal, data: SandboxAtmWithdrawalResponse, errors: ["REFERENCE_EXISTS"] },
  ),
  moneyRoute("POST /cards/{cardId}/fees", "money chargeFee", "Charge a fee", {
    body: SandboxFee,
    data: z.object({ feeId: id("fee") }),
  }),
  moneyRoute("POST /cards/{cardId}/fees/{feeId}/reverse", "money reverseFee", "Reverse a fee", {
    data: SandboxPostingResponse,
    errors: ["ILLEGAL_TRANSITION"],
  }),
  moneyRoute(
    "POST /cards/{cardId}/balance-inquiries",
    "money inquireBalance",
    "Inquire a Card's balance at an ATM",
    { body: SandboxBalanceInquiry, data: SandboxBalanceInquiryResponse },
  ),
  moneyRoute(
    "POST /cards/{cardId}/chargebacks",
    "money openChargeback",
    "Dispute a transaction, with a provisional credit",
    {
      body: SandboxChargeback,
      data: SandboxPostingResponse.extend({ chargebackId: id("dispute") }),
      errors: ["ILLEGAL_TRANSITION"],
    },
  ),
  moneyRoute(
    "POST /chargebacks/{chargebackId}/outcome",
    "money decideChargeback",
    "Continue or decide a dispute",
    { body: SandboxChargebackOutcome, data: SandboxPostingResponse, errors: ["ILLEGAL_TRANSITION"] },
  ),
  moneyRoute(
    "POST /disputes/{disputeId}/outcome",
    "money decideDispute",
    "Take the network's next step in a dispute, or decide it",
    { body: SandboxDisputeOutcome, data: DisputeView, errors: ["ILLEGAL_TRANSITION"] },
  ),
] as const;
