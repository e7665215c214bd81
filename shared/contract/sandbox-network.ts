import * as z from "zod";
import { Balances } from "./balances.ts";
import { ChargebackDecision, Currency, FeeType } from "./enums.ts";
import { merchantFields } from "./merchant.ts";
import { amount, id, integerEnum, memo, positiveAmount, text } from "./primitives.ts";
import { route } from "./route.ts";
import { AuthorizationDeclineReason } from "./transactions.ts";

/** The card network, emulated: each endpoint sends the event that the network would, and answers what became of it. */
const emulated = {
  api: "sandbox",
  function: "sandbox",
  method: "POST",
  answer: "detail",
  movesFunds: true,
} as const;

export const SandboxIncrement = z.object({ amount: positiveAmount, ...merchantFields });

export const SandboxAuthorization = SandboxIncrement.extend({
  /** Whether the terminal takes an approval of less than `amount`; without it, it does not. */
  partialApprovalSupported: z.boolean().optional(),
});

export const SandboxAdvice = SandboxIncrement.extend({
  /** Adds to this authorization; a new one where it is left out. */
  authorizationId: id("hold").optional(),
  /** The network approved in the platform's place. */
  standIn: z.boolean().default(false),
});

export const SandboxClearing = z.object({
  /** What is held where it is left out. */
  amount: positiveAmount.optional(),
  /** true releases what is left of the hold, false releases `amount` of it. */
  final: z.boolean().default(true),
  ...merchantFields,
  referenceCode: text(64).optional(),
  description: memo.optional(),
});

export const SandboxReversal = z.object({
  /** All that is held where it is left out. */
  amount: positiveAmount.optional(),
});

export const SandboxPosting = z.object({
  amount: positiveAmount,
  ...merchantFields,
  referenceCode: text(64).optional(),
  description: memo.optional(),
});

export const SandboxAtmWithdrawal = SandboxPosting.extend({
  /** What the Program's fee schedule says, or nothing, where it is left out. */
  feeAmount: z.union([z.literal(0), positiveAmount]).optional(),
  /** The network has approved it already: it is posted without a decision. */
  advice: z.boolean().optional(),
});

export const SandboxFee = z.object({
  feeType: integerEnum(FeeType),
  amount: positiveAmount,
  relatedTransId: id("transaction").optional(),
  description: memo.optional(),
});

export const SandboxBalanceInquiry = z.object(merchantFields);

export const SandboxChargeback = z.object({
  /** The purchase or ATM withdrawal that is disputed. */
  transId: id("transaction"),
  /** What is disputed of it; all where it is left out. */
  amount: positiveAmount.optional(),
});

export const SandboxChargebackOutcome = z.object({
  status: integerEnum(ChargebackDecision),
});

/** `amount` is what was approved: less than asked for with a partial approval, 0 with a decline. */
export const SandboxAuthorizationResponse = z.object({
  authorizationId: id("hold"),
  approved: z.boolean(),
  declineReason: AuthorizationDeclineReason.optional(),
  amount,
  transId: id("transaction"),
});

/** `amount` is what was withdrawn: 0 with a decline. */
export const SandboxAtmWithdrawalResponse = z.object({
  approved: z.boolean(),
  declineReason: AuthorizationDeclineReason.optional(),
  amount,
  transId: id("transaction"),
  feeId: id("fee").optional(),
});

export const SandboxPostingResponse = Balances.extend({ transId: id("transaction") });

export const sandboxNetworkRoutes = [
  route({
    ...emulated,
    path: "/cards/{cardId}/authorizations",
    summary: "Ask for an authorization",
    body: SandboxAuthorization,
    response: SandboxAuthorizationResponse,
    errors: ["NOT_FOUND"],
  }),
  route({
    ...emulated,
    path: "/cards/{cardId}/authorization-advices",
    summary: "Tell of an authorization that the network has approved",
    body: SandboxAdvice,
    response: SandboxAuthorizationResponse,
    errors: ["NOT_FOUND", "ILLEGAL_TRANSITION"],
  }),
  route({
    ...emulated,
    path: "/authorizations/{authorizationId}/increment",
    summary: "Ask for more of an authorization",
    body: SandboxIncrement,
    response: SandboxAuthorizationResponse,
    errors: ["NOT_FOUND"],
  }),
  route({
    ...emulated,
    path: "/authorizations/{authorizationId}/clear",
    summary: "Settle an authorization",
    body: SandboxClearing,
    response: SandboxPostingResponse,
    errors: ["NOT_FOUND"],
  }),
  route({
    ...emulated,
    path: "/authorizations/{authorizationId}/reverse",
    summary: "Reverse an authorization or a part of it",
    body: SandboxReversal,
    response: Balances,
    errors: ["NOT_FOUND", "ILLEGAL_TRANSITION"],
  }),
  route({
    ...emulated,
    path: "/authorizations/{authorizationId}/expire",
    summary: "Let an authorization expire",
    response: Balances,
    errors: ["NOT_FOUND", "ILLEGAL_TRANSITION"],
  }),
  route({
    ...emulated,
    path: "/cards/{cardId}/force-post",
    summary: "Settle a purchase that was never authorized",
    body: SandboxPosting,
    response: SandboxPostingResponse,
    errors: ["NOT_FOUND"],
  }),
  route({
    ...emulated,
    path: "/cards/{cardId}/refunds",
    summary: "Refund",
    body: SandboxPosting,
    response: SandboxPostingResponse,
    errors: ["NOT_FOUND"],
  }),
  route({
    ...emulated,
    path: "/cards/{cardId}/refunds/{transId}/reverse",
    summary: "Take a refund back",
    response: SandboxPostingResponse,
    errors: ["NOT_FOUND", "ILLEGAL_TRANSITION"],
  }),
  route({
    ...emulated,
    path: "/cards/{cardId}/atm-withdrawals",
    summary: "Withdraw cash, with its fee: approved or declined like an authorization",
    body: SandboxAtmWithdrawal,
    response: SandboxAtmWithdrawalResponse,
    errors: ["NOT_FOUND"],
  }),
  route({
    ...emulated,
    path: "/cards/{cardId}/fees",
    summary: "Charge a fee",
    body: SandboxFee,
    response: z.object({ feeId: id("fee") }),
    errors: ["NOT_FOUND"],
  }),
  route({
    ...emulated,
    path: "/cards/{cardId}/fees/{feeId}/reverse",
    summary: "Give a fee back",
    response: SandboxPostingResponse,
    errors: ["NOT_FOUND", "ILLEGAL_TRANSITION"],
  }),
  route({
    ...emulated,
    path: "/cards/{cardId}/balance-inquiries",
    summary: "Ask for a Card's balance at an ATM",
    body: SandboxBalanceInquiry,
    response: SandboxPostingResponse.extend({ currency: integerEnum(Currency) }),
    errors: ["NOT_FOUND"],
  }),
  route({
    ...emulated,
    path: "/cards/{cardId}/chargebacks",
    summary: "Dispute a transaction, with a provisional credit",
    body: SandboxChargeback,
    response: SandboxPostingResponse.extend({ chargebackId: id("chargeback") }),
    errors: ["NOT_FOUND", "ILLEGAL_TRANSITION"],
  }),
  route({
    ...emulated,
    path: "/chargebacks/{chargebackId}/outcome",
    summary: "Carry a dispute on or decide it",
    body: SandboxChargebackOutcome,
    response: SandboxPostingResponse,
    errors: ["NOT_FOUND", "ILLEGAL_TRANSITION"],
  }),
] as const;
