import * as z from "zod";
import { Balances } from "./balances.ts";
import { CardholderView } from "./cardholders.ts";
import { CardViewMasked } from "./cards.ts";
import { IssuanceDecision, KycStatus } from "./enums.ts";
import { id, integerEnum, positiveAmount, text } from "./primitives.ts";
import { route } from "./route.ts";

export const SandboxDeposit = z.object({
  amount: positiveAmount,
  /** false: the deposit is cleared at once, without having been pending. */
  pending: z.boolean().default(true),
  chain: text(32).optional(),
  asset: text(32).optional(),
  txHash: text(128).optional(),
});

/** Balances of the Card or Wallet that the deposit is for. */
export const SandboxDepositResponse = Balances.extend({
  depositId: id("deposit"),
  /** The Card could not take the deposit: it waits for the operator under this id. */
  suspenseId: id("suspense").optional(),
});

export const sandboxRoutes = [
  route({
    api: "sandbox",
    function: "sandbox",
    method: "POST",
    path: "/cardholders/{cardholderId}/kyc-outcome",
    summary: "Decide a Cardholder's compliance review",
    answer: "detail",
    body: z.object({ status: integerEnum(KycStatus) }),
    response: CardholderView,
    errors: ["NOT_FOUND", "ILLEGAL_TRANSITION"],
  }),
  route({
    api: "sandbox",
    function: "sandbox",
    method: "POST",
    path: "/cards/{cardId}/approval",
    summary: "Approve or decline an issuance",
    answer: "detail",
    body: z.object({ cardStatus: integerEnum(IssuanceDecision) }),
    response: CardViewMasked,
    errors: ["NOT_FOUND", "ILLEGAL_TRANSITION"],
  }),
  route({
    api: "sandbox",
    function: "sandbox",
    method: "POST",
    path: "/cards/{cardId}/deposits",
    summary: "Receive a digital-asset deposit on a Card",
    answer: "detail",
    body: SandboxDeposit,
    response: SandboxDepositResponse,
    errors: ["NOT_FOUND"],
    movesFunds: true,
  }),
  route({
    api: "sandbox",
    function: "sandbox",
    method: "POST",
    path: "/wallets/{walletId}/deposits",
    summary: "Receive a digital-asset deposit in a Wallet",
    answer: "detail",
    body: SandboxDeposit,
    response: SandboxDepositResponse,
    errors: ["NOT_FOUND"],
    movesFunds: true,
  }),
  route({
    api: "sandbox",
    function: "sandbox",
    method: "POST",
    path: "/deposits/{depositId}/clear",
    summary: "Clear a pending deposit",
    answer: "detail",
    response: SandboxDepositResponse,
    errors: ["NOT_FOUND", "ILLEGAL_TRANSITION"],
    movesFunds: true,
  }),
  route({
    api: "sandbox",
    function: "sandbox",
    method: "POST",
    path: "/deposits/{depositId}/reverse",
    summary: "Reverse a pending deposit",
    answer: "detail",
    response: SandboxDepositResponse,
    errors: ["NOT_FOUND", "ILLEGAL_TRANSITION"],
    movesFunds: true,
  }),
  route({
    api: "sandbox",
    function: "sandbox",
    method: "POST",
    path: "/deposits/{depositId}/return",
    summary: "Return a cleared deposit",
    answer: "detail",
    response: SandboxDepositResponse,
    errors: ["NOT_FOUND", "ILLEGAL_TRANSITION"],
    movesFunds: true,
  }),
] as const;
