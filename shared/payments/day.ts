import * as z from "zod";
import { type Unread, unread } from "../changes/change.ts";
import { unixSeconds } from "../platform/clock.ts";
import { absent, any, atLeast, atMost } from "../platform/table/condition.ts";
import { defineEntity } from "../platform/table/entity.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import type { PaymentKind } from "./payment.ts";

const Day = z.object({ sumMinor: z.int(), expiresAtSeconds: z.int() });
export type Day = Readonly<z.output<typeof Day>>;

/** What a Program's payments of a kind come to that were created on a day: `2026-11-29`. */
export const days = defineEntity({
  name: "day",
  schema: Day,
  key: (programId: string, kind: PaymentKind, date: string) => ({
    pk: `${programId}#PAYMENT_DAY#${kind}#${date}`,
    sk: "PAYMENT_DAY",
  }),
});

interface Counted {
  readonly programId: string;
  readonly kind: PaymentKind;
  readonly day: string;
}

/** A payment of a day that is over counts for no limit any more. */
const keptDays = 30;

/** Adds an amount. With a maximum, its condition, named `day`, fails if the sum would be more. */
export function dayUpdate(
  { programId, kind, day }: Counted,
  addedMinor: number,
  maximumMinor?: number,
): WriteAction {
  const expiresAtSeconds = unixSeconds(new Date(`${day}T00:00:00Z`)) + keptDays * 86_400;
  const change = { add: { sumMinor: addedMinor }, set: { expiresAtSeconds } };
  const hasRoom =
    maximumMinor === undefined
      ? undefined
      : any<Day>({ sumMinor: absent }, { sumMinor: atMost(maximumMinor - addedMinor) });
  return days.at(programId, kind, day).update(change, hasRoom);
}

interface Ordered extends Counted {
  readonly amountMinor: number;
  readonly status: string;
}

interface Limits {
  readonly singleMax?: number | undefined;
  readonly dailyMax?: number | undefined;
}

type Seen = Day | undefined | Unread;

/** Whether a limit declines it. A day that is not read has room. */
export function exceedsLimit(amountMinor: number, { singleMax, dailyMax }: Limits, day: Seen): boolean {
  if (singleMax !== undefined && amountMinor > singleMax) return true;
  const countedMinor = day === unread ? 0 : (day?.sumMinor ?? 0);
  return dailyMax !== undefined && countedMinor + amountMinor > dailyMax;
}

/** So that a decline by the day's sum is written only while it holds. */
export function fullDayChecks(
  { programId, kind, day: date, amountMinor }: Ordered,
  { singleMax = Number.POSITIVE_INFINITY, dailyMax = Number.POSITIVE_INFINITY }: Limits,
  day: Seen,
): WriteAction[] {
  if (amountMinor > Math.min(singleMax, dailyMax) || day === unread || !Number.isFinite(dailyMax)) return [];
  return [days.at(programId, kind, date).check({ sumMinor: atLeast(dailyMax - amountMinor + 1) })];
}

const uncounted: ReadonlySet<string> = new Set(["declined", "cancelled", "rejected"]);

/** The day's sum after a change of status: payments that moved no money do not count. */
export function dayWrites(before: Ordered, after: Ordered): WriteAction[] {
  const [was, is] = [uncounted.has(before.status), uncounted.has(after.status)];
  return was === is ? [] : [dayUpdate(before, is ? -before.amountMinor : before.amountMinor)];
}
