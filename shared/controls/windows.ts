import { type CalendarWindow, durationMinutes, type Velocity } from "../contract/controls.ts";
import { calendarPeriod, isCalendarUnit } from "../platform/calendar.ts";

/**
 * What is decided in one period counts together. It begins at `from`, and its amounts count until
 * `until`, in milliseconds; those of a lifetime always.
 */
export interface Period {
  readonly from: number;
  readonly until?: number;
}

/** A rolling window moves in so many steps of its length. */
const stepsOfWindow = 120;
const minimumStepMs = 10_000;

export interface WindowSettings {
  /** When the control was activated: a lifetime begins. */
  readonly activatedMs: number;
  /** IANA name of the Program's time zone. */
  readonly timeZone: string;
}

/** Undefined for the window of a single authorization, which counts nothing. */
export function periodAt(
  window: Velocity["window"],
  atMs: number,
  { activatedMs, timeZone }: WindowSettings,
): Period | undefined {
  if (window === "authorization") return undefined;
  if (window === "lifetime") return { from: activatedMs };
  if (isCalendar(window)) return calendarPeriod(window, atMs, timeZone);
  const { lengthMs, stepMs } = rollingWindow(window);
  const from = Math.floor(atMs / stepMs) * stepMs;
  return { from, until: from + stepMs + lengthMs };
}

/** When a rolling window begins: nothing older counts. */
export function rollingStart(window: string, atMs: number): number {
  const { lengthMs, stepMs } = rollingWindow(window);
  return Math.floor((atMs - lengthMs) / stepMs) * stepMs;
}

function isCalendar(window: string): window is CalendarWindow {
  return isCalendarUnit(window);
}

/** A duration: any amount of time back. */
export function isRolling(window: Velocity["window"]): boolean {
  return window.startsWith("P");
}

function rollingWindow(iso: string) {
  const lengthMs = (durationMinutes(iso) ?? 0) * 60_000;
  return { lengthMs, stepMs: Math.max(minimumStepMs, lengthMs / stepsOfWindow) };
}
