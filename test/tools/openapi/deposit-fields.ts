import type { Field } from "./field-descriptions.ts";

/** Of deposits, and of what they add up to. */
export const depositFields: Readonly<Record<string, Field>> = {
  expiresInDays: [
    "After so many days, the deposit is cancelled if the bank has not reported it. Default: 14.",
    14,
  ],
  announcedAmount: [
    "The amount that was announced, in minor units, if the bank has reported another one.",
    5_000,
  ],
  depositsAndCredits: ["Everything ever credited, pending deposits included, in minor units.", 20_000],
  clearedDepositsAndCredits: ["Everything ever credited, without pending deposits, in minor units.", 20_000],
  settledDebits: ["Everything ever debited, without open holds, in minor units.", 1050],
  openHolds: ["The holds that are neither settled nor released."],
  pending: ["Whether the deposit starts as pending. false clears it at once.", true],
  pendingDeposits: ["The deposits that have not cleared. In `cycleCheck`, their sum in minor units.", 0],
};
