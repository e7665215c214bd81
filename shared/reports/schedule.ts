import * as z from "zod";
import { Currency } from "../contract/enums.ts";
import { integerEnum } from "../contract/primitives.ts";
import {
  maximumReportSchedules,
  ReportEvery,
  ReportFormat,
  ReportKind,
  type ReportScheduleView,
} from "../contract/reports.ts";
import { dateAt, periodOfDate } from "../platform/calendar.ts";
import { timestamp } from "../platform/clock.ts";
import { deadlineDelete, deadlinePut, defineDeadline } from "../platform/deadlines.ts";
import { newId } from "../platform/id.ts";
import { absent, any, below, exists } from "../platform/table/condition.ts";
import { defineEntity } from "../platform/table/entity.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { monthsUntil } from "../statements/months.ts";
import { type ProgramTime, timeZoneAt } from "../tenancy/programs/program-days.ts";

/** A span of a schedule. It begins where the one before ends, whatever its time zone is. */
const Span = z.object({
  /** The first day of its day, week or month, by which the next one is found. */
  date: z.string(),
  from: z.string(),
  until: z.string(),
  /** As it began: a later one changes no span that has begun. */
  timeZone: z.string(),
});
type Span = Readonly<z.output<typeof Span>>;

const ReportSchedule = z.object({
  programId: z.string(),
  scheduleId: z.string(),
  reportKind: ReportKind,
  format: ReportFormat,
  every: ReportEvery,
  currency: integerEnum(Currency),
  /** The span of the next report. */
  next: Span,
  createdAt: z.string(),
});
export type ReportSchedule = Readonly<z.output<typeof ReportSchedule>>;

export const reportSchedules = defineEntity({
  name: "reportSchedule",
  schema: ReportSchedule,
  key: (programId: string, scheduleId: string) => ({
    pk: `${programId}#REPORT_SCHEDULES`,
    sk: `SCHEDULE#${scheduleId}`,
  }),
});

const scheduleCounts = defineEntity({
  name: "scheduleCount",
  schema: z.object({ schedules: z.int() }),
  key: (programId: string) => ({ pk: `${programId}#REPORT_SCHEDULES`, sk: "COUNT" }),
});

/** A span is over, and no commit under way can add to it. */
export const spanEnd = defineDeadline("make_report", "normal");
const madeAfterMs = 120_000;
export const toDueAt = ({ until }: Pick<Span, "until">) => new Date(Date.parse(until) + madeAfterMs);

type Asked = Pick<ReportSchedule, "programId" | "reportKind" | "format" | "every" | "currency">;

/** Its first span is the one under way. */
export function newSchedule(asked: Asked, program: ProgramTime, at: Date): ReportSchedule {
  const next = spanAt(program, asked.every, at);
  return { ...asked, scheduleId: newId("reportSchedule"), next, createdAt: timestamp(at) };
}

/** The condition that the Program may have one more is named `scheduleCount`. */
export function schedulePuts(schedule: ReportSchedule): WriteAction[] {
  const { programId, scheduleId, next } = schedule;
  const mayAdd = any<{ schedules: number }>(
    { schedules: absent },
    { schedules: below(maximumReportSchedules) },
  );
  return [
    reportSchedules.at(programId, scheduleId).create(schedule),
    scheduleCounts.at(programId).update({ add: { schedules: 1 } }, mayAdd),
    deadlinePut(spanEnd.at({ ownerId: programId, deadlineId: scheduleId, dueAt: toDueAt(next) })),
  ];
}

/** Fails if there is none. */
export function scheduleDeletes(programId: string, scheduleId: string): WriteAction[] {
  return [
    reportSchedules.at(programId, scheduleId).delete(exists),
    scheduleCounts.at(programId).update({ add: { schedules: -1 } }),
    deadlineDelete(programId, scheduleId),
  ];
}

/** The day, week or month of a moment. Months are those of statements. */
function spanAt(program: ProgramTime, every: ReportEvery, at: Date): Span {
  const month = every === "month" && monthsUntil(program, at).at(-1);
  if (month) return toSpan(`${month.period}-01`, month.from.getTime(), month.until.getTime(), month.timeZone);
  const timeZone = timeZoneAt(program, at.getTime());
  const { from, until } = periodOfDate(every, dateAt(at.getTime(), timeZone), timeZone);
  return toSpan(dateAt(from, timeZone), from, until, timeZone);
}

/** The span that begins where this one ends. */
export function nextSpan(program: ProgramTime, every: ReportEvery, { date, until: begin }: Span): Span {
  const from = Date.parse(begin);
  const timeZone = timeZoneAt(program, from);
  // In another time zone, the next day may be over already.
  for (let next = dateAfter(every, date); ; next = dateAfter(every, next)) {
    const { until } = periodOfDate(every, next, timeZone);
    if (until > from) return toSpan(next, from, until, timeZone);
  }
}

function dateAfter(every: ReportEvery, date: string): string {
  return dateAt(periodOfDate(every, date, "Etc/UTC").until, "Etc/UTC");
}

function toSpan(date: string, from: number, until: number, timeZone: string): Span {
  return { date, from: timestamp(new Date(from)), until: timestamp(new Date(until)), timeZone };
}

export function toScheduleView(schedule: ReportSchedule): ReportScheduleView {
  const { scheduleId, reportKind: kind, format, every, next, createdAt: dateCreated } = schedule;
  const { from, until: to, timeZone } = next;
  return { scheduleId, kind, format, every, next: { from, to, timeZone }, dateCreated };
}
