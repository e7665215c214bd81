import * as z from "zod";
import { DisputeStatus } from "./disputes.ts";
import { ChargebackDecision } from "./enums.ts";
import { id, integerEnum, positiveAmount } from "./primitives.ts";

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
