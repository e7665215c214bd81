import type { Fault } from "../contract/errors.ts";
import { reportDays } from "../contract/reports.ts";
import { periodOfDate } from "../platform/calendar.ts";
import { dayMs, timestamp } from "../platform/clock.ts";
import { ApiError } from "../platform/http/api-error.ts";

interface Span {
  readonly from: string;
  readonly to: string;
}

/**
 * The span between two moments, each a time, or a date, which begins at midnight in the time zone.
 * What is ahead of `at` is cut.
 * @throws ApiError VALIDATION_FAILED
 */
export function toSpan({ from, to }: Span, timeZone: string, at: Date, place: "body" | "query"): Span {
  const [fromMs, toMs] = [toMoment(from, timeZone), Math.min(toMoment(to, timeZone), at.getTime())] as const;
  const refuse = (name: string, message: string): never => {
    const fault: Fault = { path: `${place}.${name}`, code: "custom", message };
    throw new ApiError("VALIDATION_FAILED", [fault]);
  };
  if (fromMs >= at.getTime()) refuse("from", "must not be ahead of now");
  if (fromMs >= toMs) refuse("to", "must be after from");
  // Some hours more: days by the calendar may have 25.
  if (toMs - fromMs > reportDays * dayMs + 3 * 3_600_000)
    refuse("to", `must be at most ${reportDays} days after from`);
  return { from: timestamp(new Date(fromMs)), to: timestamp(new Date(toMs)) };
}

function toMoment(moment: string, timeZone: string): number {
  return moment.length === 10 ? periodOfDate("day", moment, timeZone).from : Date.parse(moment);
}
