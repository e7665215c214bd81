import type { Field } from "./field-descriptions.ts";

/** Of disputes. */
export const disputeFields: Readonly<Record<string, Field>> = {
  disputeId: ["The dispute's id."],
  note: ["What the Cardholder says, up to 2,000 characters.", "The parcel never came."],
  creditedAmount: ["The provisional credit that the Card has, in minor units.", 2500],
  dateChanged: ["When it last changed (ISO 8601, UTC).", "2026-07-09T07:00:00.000Z"],
  originalTransId: ["The refunded purchase: so much less of it can be disputed."],
  settlementFiles: [
    "Whether the network settles by files, which change a posting's status from 2 to 3.",
    false,
  ],
  provisionalCreditAtOnce: [
    "Whether a Card is credited when a dispute is submitted, or on the tenth business day.",
    false,
  ],
};
