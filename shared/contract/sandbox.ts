import * as z from "zod";
import { Balances } from "./balances.ts";
import { CardholderView } from "./cardholders.ts";
import { CardViewMasked } from "./cards.ts";
import { IssuanceDecision, KycStatus } from "./enums.ts";
import { id, integerEnum, positiveAmount, text } from "./primitives.ts";
import { routesOf } from "./route.ts";

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

const route = routesOf({ api: "sandbox", function: "sandbox" });

export const sandboxRoutes = [
  route("POST /cardholders/{cardholderId}/kyc-outcome", "Decide a Cardholder's compliance review", {
    body: z.object({ status: integerEnum(KycStatus) }),
    data: CardholderView,
    errors: ["NOT_FOUND", "ILLEGAL_TRANSITION"],
  }),
  route("POST /cards/{cardId}/approval", "Approve or decline an issuance", {
    body: z.object({ cardStatus: integerEnum(IssuanceDecision) }),
    data: CardViewMasked,
    errors: ["NOT_FOUND", "ILLEGAL_TRANSITION"],
  }),
  route("POST /cards/{cardId}/deposits", "Receive a digital-asset deposit on a Card", {
    body: SandboxDeposit,
    data: SandboxDepositResponse,
    errors: ["NOT_FOUND"],
    movesFunds: true,
  }),
  route("POST /wallets/{walletId}/deposits", "Receive a digital-asset deposit in a Wallet", {
    body: SandboxDeposit,
    data: SandboxDepositResponse,
    errors: ["NOT_FOUND"],
    movesFunds: true,
  }),
  route("POST /deposits/{depositId}/clear", "Clear a pending deposit", {
    data: SandboxDepositResponse,
    errors: ["NOT_FOUND", "ILLEGAL_TRANSITION"],
    movesFunds: true,
  }),
  route("POST /deposits/{depositId}/reverse", "Reverse a pending deposit", {
    data: SandboxDepositResponse,
    errors: ["NOT_FOUND", "ILLEGAL_TRANSITION"],
    movesFunds: true,
  }),
  route("POST /deposits/{depositId}/return", "Return a cleared deposit", {
    data: SandboxDepositResponse,
    errors: ["NOT_FOUND", "ILLEGAL_TRANSITION"],
    movesFunds: true,
  }),
] as const;
