import { type ReminderDays, reminderDays } from "../../contract/alerts.ts";

const dayMs = 86_400_000;

const timeOf = (notAfter: Date, days: ReminderDays) => new Date(notAfter.getTime() - days * dayMs);

/** When the next reminder of a certificate is due after `at`; undefined when all its times have passed. */
export function nextReminderAt(notAfter: Date, at: Date): Date | undefined {
  return reminderDays
    .map((days) => timeOf(notAfter, days))
    .toReversed()
    .find((time) => time > at);
}

/** A reminder that is to be sent. */
export interface DueReminder {
  /** Which of the three it is. */
  readonly days: ReminderDays;
  /** The days that are really left, the begun one included: `days` itself, unless it is late. */
  readonly daysRemaining: number;
}

/**
 * The reminder that is true at `at`: the last whose time has come. Those before it that were never sent, since no sweep ran, are not any more: with
 * four days left a Tenant hears of four days, once. None before the first, nor for a certificate that is over.
 */
export function reminderAt(notAfter: Date, at: Date): DueReminder | undefined {
  if (at >= notAfter) return undefined;
  const days = reminderDays.find((one) => timeOf(notAfter, one) <= at);
  return days && { days, daysRemaining: Math.ceil((notAfter.getTime() - at.getTime()) / dayMs) };
}
