import type { ProgramSettings } from "../contract/account-programs.ts";
import { isCalendarUnit } from "../platform/calendar.ts";
import { type Card, type SpendLimit, toFunding } from "./card.ts";

/** Without the settings that a window of the calendar needs, its time zone is read as it counts. */
export function newLimit(
  { amount: amountMinor, window }: { readonly amount: number; readonly window: string },
  countsFrom: string,
  settings: Pick<ProgramSettings, "timeZone"> | undefined,
): SpendLimit {
  const timeZone = countsDays({ window }) ? settings?.timeZone : undefined;
  return { amountMinor, window, countsFrom, ...(timeZone !== undefined && { timeZone }) };
}

/** Its periods depend on the Program's time zone. */
export function countsDays({ window }: { readonly window: string }): boolean {
  return isCalendarUnit(window);
}

/** How a limit is stored. */
export function limitFields({ amountMinor, window, countsFrom, timeZone }: SpendLimit) {
  return {
    ...{ spendLimitMinor: amountMinor, spendLimitWindow: window, spendLimitFrom: countsFrom },
    ...(timeZone !== undefined && { spendLimitTimeZone: timeZone }),
  };
}

/** Undefined for a Card without one. */
export function toLimitView(card: Card): { amount: number; window: string } | undefined {
  const { limit } = toFunding(card) ?? {};
  return limit && { amount: limit.amountMinor, window: limit.window };
}
