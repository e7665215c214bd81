import type { Field } from "./field-descriptions.ts";

/** Of deposits, and of what they add up to. */
export const depositFields: Readonly<Record<string, Field>> = {
  expiresInDays: [
    "After so many days, the deposit is cancelled if the bank has not reported it. Default: 14.",
    14,
  ],
  pullId: ["The pull's id.", "pul_01J9ZC3P2V8Q4N6T0B5W7XKD1M"],
  mandateId: ["The mandate that its holder has signed.", "mnd_01J9ZC3P2V8Q4N6T0B5W7XKD1M"],
  signedAt: ["The day on which it was signed.", "2026-07-01"],
  collectOn: ["The day before which the bank must not collect it.", "2026-07-15"],
  availableOn: ["When what was collected can be spent.", "2026-07-20T00:00:00.000Z"],
  returnableUntil: ["Until when who has paid can have it back.", "2026-09-09T10:00:00.000Z"],
  holdDays: ["After how many days on which banks settle the currency what was collected can be spent.", 5],
  dateCollected: ["When the money came, as a pending deposit.", "2026-07-15T10:00:00.000Z"],
  dateCancelled: ["When it was cancelled.", "2026-07-16T10:00:00.000Z"],
  pulls: ["What holds for pulls: replaced as a whole."],
  expectation: ["How what a client announced has ended.", "claimed"],
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
