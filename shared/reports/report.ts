import * as z from "zod";
import { Currency } from "../contract/enums.ts";
import { integerEnum } from "../contract/primitives.ts";
import { ReportFormat, ReportKind, ReportStatus, type ReportView, reportDays } from "../contract/reports.ts";
import { listInsert, listUpdate } from "../lists/entry.ts";
import { defineList } from "../lists/kind.ts";
import { dayMs, timestamp, unixSeconds } from "../platform/clock.ts";
import { deadlineDelete, deadlinePut, defineDeadline } from "../platform/deadlines.ts";
import { filesBucket } from "../platform/file-store.ts";
import { newId } from "../platform/id.ts";
import { longFileFields, newLongFile } from "../platform/long-files/long-file.ts";
import { outboxPut } from "../platform/outbox/outbox-put.ts";
import { pick } from "../platform/pick.ts";
import { absent, any } from "../platform/table/condition.ts";
import { defineEntity } from "../platform/table/entity.ts";
import { transact, type WriteAction } from "../platform/table/transact.ts";
import { reportForms } from "./forms.ts";

const urlSeconds = 900;

const Report = z.object({
  ...longFileFields,
  entityId: z.string(),
  reportKind: ReportKind,
  format: ReportFormat,
  from: z.string(),
  to: z.string(),
  timeZone: z.string(),
  asOf: z.string(),
  currency: integerEnum(Currency),
  cardId: z.string().optional(),
  cardholderId: z.string().optional(),
  scheduleId: z.string().optional(),
  status: ReportStatus,
  /** How often a job was asked for, and none has begun it. */
  asked: z.int().optional(),
  rows: z.int().optional(),
  bytes: z.int().optional(),
  sha256: z.string().optional(),
  createdAt: z.string(),
  doneAt: z.string().optional(),
});
export type Report = Readonly<z.output<typeof Report>>;

export const reports = defineEntity({
  name: "report",
  schema: Report,
  saysWhenChanged: true,
  key: (programId: string, reportId: string) => ({
    pk: `${programId}#PROGRAM_REPORT#${reportId}`,
    sk: "PROGRAM_REPORT",
  }),
});

export const reportList = defineList({
  name: "reports",
  filters: ["reportKind", "status", "scheduleId"],
  retentionMs: reportDays * dayMs,
  recordKey: ({ programId }, reportId) => reports.key(programId, reportId),
});

const ReportId = z.object({ reportId: z.string() });

/** Reports of a kind that have not ended, in the order in which they are made. */
export const openReports = defineEntity({
  name: "openReport",
  schema: ReportId,
  key: (programId: string, kind: ReportKind, reportId: string) => ({
    pk: `${programId}#OPEN_REPORTS#${kind}`,
    sk: `OPEN#${reportId}`,
  }),
});

/** The report of a kind that is being made. */
export const reportsAtWork = defineEntity({
  name: "reportAtWork",
  schema: ReportId,
  key: (programId: string, kind: ReportKind) => ({ pk: `${programId}#OPEN_REPORTS#${kind}`, sk: "AT_WORK" }),
});

/** One that does not get further has failed, and the next of its kind begins. */
export const reportCheck = defineDeadline("check_report", "normal");
const checkedAfterMs = 600_000;
/** The pauses double from ten minutes on: the last one ends after 21 hours. */
const maximumAsked = 6;

export function nextCheck(at: Date, asked = 0): Date {
  return new Date(at.getTime() + checkedAfterMs * 2 ** asked);
}

/** No job has taken it, however often one was asked for. */
export function isGivenUp({ asked = 0 }: Report): boolean {
  return asked >= maximumAsked;
}

type Asked = Pick<
  Report,
  "programId" | "currency" | "reportKind" | "format" | "from" | "to" | "timeZone" | "asOf"
> &
  Partial<Pick<Report, "cardId" | "cardholderId" | "scheduleId">>;

export function newReport(asked: Asked, at: Date): Report {
  return {
    ...newLongFile(asked.programId, true, at),
    entityId: newId("report"),
    ...asked,
    status: "running",
    createdAt: timestamp(at),
    expiresAtSeconds: unixSeconds(new Date(at.getTime() + reportDays * dayMs)),
  };
}

export function reportPuts(report: Report, at: Date): WriteAction[] {
  const { programId, entityId: reportId, reportKind } = report;
  return [
    {
      ...reports.at(programId, reportId).create(report),
      alongside: [listInsert(reportList, programId, reportId, report)],
    },
    openReports.at(programId, reportKind, reportId).create({ reportId }),
    deadlinePut(reportCheck.at({ ownerId: programId, deadlineId: reportId, dueAt: nextCheck(at) })),
    beginPut(report, at),
  ];
}

/** Asks for a job that makes it. */
export function beginPut(
  { programId, entityId: reportId }: Pick<Report, "programId" | "entityId">,
  at: Date,
) {
  return outboxPut(programId, "report.requested", { reportId }, at);
}

type Ended =
  | ({ readonly status: "done" } & Required<Pick<Report, "key" | "rows" | "bytes" | "sha256">>)
  | { readonly status: "failed" };

/** Ends a report that is at work or would be the next, once, and begins the next of its kind. */
export async function endReport(report: Report, ended: Ended, at: Date): Promise<void> {
  const { programId, entityId: reportId, reportKind: kind } = report;
  const set = { ...ended, progressPercent: 100, doneAt: timestamp(at) };
  await transact([
    {
      ...reports.at(programId, reportId).update({ set }, { status: "running" }),
      alongside: [listUpdate(reportList, programId, reportId, report, { ...report, ...set })],
    },
    openReports.at(programId, kind, reportId).delete(),
    reportsAtWork.at(programId, kind).delete(any({ reportId }, { reportId: absent })),
    deadlineDelete(programId, reportId),
  ]);
  await beginNextReport(programId, kind, at);
}

/** Unless one of the kind is at work. Repeated, it does no harm: a report begins once. */
export async function beginNextReport(programId: string, kind: ReportKind, at: Date): Promise<void> {
  const [[next], atWork] = await Promise.all([
    openReports.first(1, programId, kind),
    reportsAtWork.at(programId, kind).get(),
  ]);
  if (next && !atWork) await transact([beginPut({ programId, entityId: next.reportId }, at)]);
}

/** What a list shows of one. */
export function toReportItem(report: Report) {
  return {
    reportId: report.entityId,
    kind: report.reportKind,
    ...pick(report, "format", "status", "from", "to", "timeZone", "asOf", "cardId", "cardholderId"),
    ...pick(report, "scheduleId", "rows", "bytes", "sha256"),
    dateCreated: report.createdAt,
    dateDone: report.doneAt,
  } satisfies ReportView;
}

/** With a fresh URL, once it is done. */
export async function toReportView(report: Report, at: Date): Promise<ReportView> {
  const { key, format, reportKind, from, to } = report;
  const item = toReportItem(report);
  if (key === undefined) return item;
  const fileName = `${reportKind}-${from.slice(0, 10)}-${to.slice(0, 10)}.${format}`;
  const { contentType } = reportForms[format];
  const url = await filesBucket.downloadUrl(key, { fileName, contentType, expiresInSeconds: urlSeconds });
  return { ...item, url, urlExpiresAt: timestamp(new Date(at.getTime() + urlSeconds * 1000)) };
}
