import * as z from "zod";
import { FeeType, TransferStatus } from "./enums.ts";
import { id, integerEnum, memo, positiveAmount } from "./primitives.ts";
import { routesWith } from "./route.ts";
import { TransferCreate, TransferResponse } from "./wallets.ts";

const route = routesWith({ api: "sandbox", function: "sandbox" });
const moneyRoute = routesWith({ api: "sandbox", function: "sandbox", movesFunds: true });

/** A record that the platform could not process. */
export const SandboxProcessingError = z.object({
  /** In minor units. It is not moved. */
  amount: positiveAmount,
  /** With it, the record is a fee of this type. */
  feeType: integerEnum(FeeType).optional(),
  description: memo.optional(),
});

const unmoved = { pending: TransferStatus.pending, error: TransferStatus.error } as const;
const transferOutcome = {
  approved: TransferStatus.approved,
  declined: TransferStatus.declined,
  error: TransferStatus.error,
} as const;

/** Statuses that are rare, or brief: a client must handle them all the same. */
export const sandboxStateRoutes = [
  route(
    "POST /cards/{cardId}/processing-errors",
    "write recordError",
    "Record a transaction or fee with the status 5 Error",
    {
      body: SandboxProcessingError,
      creates: true,
      data: z.object({ transId: id("transaction").optional(), feeId: id("fee").optional() }),
    },
  ),
  moneyRoute(
    "POST /wallets/transfers",
    "money recordTransfer",
    "Record a transfer that is 0 Pending, or ended in 4 Error",
    {
      body: TransferCreate.safeExtend({ transStatus: integerEnum(unmoved) }),
      data: TransferResponse,
      errors: ["NOT_FOUND"],
    },
  ),
  moneyRoute(
    "POST /wallets/{walletId}/transfers/{transferId}/outcome",
    "money decideTransfer",
    "Decide a pending transfer",
    {
      body: z.object({ transStatus: integerEnum(transferOutcome) }),
      data: TransferResponse,
      errors: ["ILLEGAL_TRANSITION"],
    },
  ),
] as const;
