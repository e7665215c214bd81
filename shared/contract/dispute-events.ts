import * as z from "zod";
import { DisputeStatus } from "./disputes.ts";
import { ChargebackDecision } from "./enums.ts";
import { id, integerEnum, positiveAmount, text, timestamp } from "./primitives.ts";

/** What all events of a card have. */
export const ofCard = {
  /** The sender's own unique id of the event. */
  eventId: text(128),
  programId: id("program"),
  cardId: id("card"),
  /** When it happened in the network. Default: now. */
  occurredAt: timestamp.optional(),
};

export const Chargeback = z.object({
  ...ofCard,
  kind: z.literal("chargeback"),
  chargebackId: id("dispute").optional(),
  /** The disputed purchase or ATM withdrawal. It must be cleared. */
  transId: id("transaction"),
  /** The disputed amount in minor units. Default: the whole transaction. */
  amount: positiveAmount.optional(),
});

export const ChargebackOutcome = z.object({
  ...ofCard,
  kind: z.literal("chargeback_outcome"),
  chargebackId: id("dispute"),
  status: integerEnum(ChargebackDecision),
});

/** The network's answer, or its next step, in a dispute. */
export const DisputeOutcome = z.object({
  ...ofCard,
  kind: z.literal("dispute_outcome"),
  disputeId: id("dispute"),
  status: DisputeStatus,
});
