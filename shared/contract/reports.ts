import * as z from "zod";
import { AuthorizationStatus } from "./authorizations.ts";
import { Currency, TransactionStatus } from "./enums.ts";
import { amount, calendarDate, id, integerEnum, listQuery, text, timestamp } from "./primitives.ts";
import { routesWith } from "./route.ts";

/** A file is kept for so long, and what a report is about is as long at most. */
export const reportDays = 400;

export const ReportKind = z.enum([
  "transactions",
  "fees",
  "cards",
  "balances",
  "authorizations",
  "account_updates",
]);
export type ReportKind = z.output<typeof ReportKind>;

export const ReportFormat = z.enum(["csv", "jsonl"]);
export type ReportFormat = z.output<typeof ReportFormat>;

export const ReportStatus = z.enum(["running", "done", "failed"]);

/** A time, or a date: it begins at midnight in the Program's time zone. */
const moment = z.union([z.iso.datetime({ offset: true }), calendarDate], {
  error: ({ input }) =>
    input === undefined ? undefined : "must be an ISO 8601 time, or a date such as 2026-11-20",
});

export const ReportCreate = z.object({
  kind: ReportKind,
  /** CSV of RFC 4180 with a header, or one JSON object in a line. */
  format: ReportFormat,
  /** Included. */
  from: moment,
  /** Not included. What is ahead of now is cut to `asOf`. At most 400 days after `from`. */
  to: moment,
  /** Only what is of this Card. */
  cardId: text(64).optional(),
  /** Only what is of this Cardholder's Cards. */
  cardholderId: text(64).optional(),
});

export const ReportView = z.object({
  reportId: id("report"),
  kind: ReportKind,
  format: ReportFormat,
  /** A report waits, as `running`, until the one before of its kind has ended. */
  status: ReportStatus,
  from: timestamp,
  to: timestamp,
  /** The Program's, by which dates were read. */
  timeZone: z.string(),
  /** The rows are those that there were then. */
  asOf: timestamp,
  cardId: z.string().optional(),
  cardholderId: z.string().optional(),
  /** The schedule that it was made by. */
  scheduleId: id("reportSchedule").optional(),
  /** Without the header. Absent until it is done, as what follows. */
  rows: z.int().min(0).optional(),
  bytes: z.int().min(0).optional(),
  /** The file's, in hex. */
  sha256: z.string().optional(),
  /** Fetch the file with a plain GET, without a certificate. */
  url: z.string().optional(),
  /** When `url` ends. Another request returns a new one. */
  urlExpiresAt: timestamp.optional(),
  dateCreated: timestamp,
  dateDone: timestamp.optional(),
});
export type ReportView = z.output<typeof ReportView>;

/** A row of the kind `balances`: of a Card or a Wallet. */
export const BalanceRow = z.object({
  accountId: z.string(),
  currency: integerEnum(Currency),
  /** As in statements: the ledger balance less pending deposits, in minor units. */
  openingBalance: amount,
  /** What it rose by, and what it fell by. */
  credits: amount,
  debits: amount,
  closingBalance: amount,
});
export type BalanceRow = z.output<typeof BalanceRow>;

export const VolumeGroup = z.enum(["day", "mcc", "status"]);
export type VolumeGroup = z.output<typeof VolumeGroup>;

export const toGroups = (names: string) => names.split(",") as VolumeGroup[];

const groups = z
  .string()
  .regex(/^(day|mcc|status)(,(day|mcc|status)){0,2}$/, "must be day, mcc or status, or several with commas")
  .refine((names) => new Set(toGroups(names)).size === toGroups(names).length, "must not name a group twice");

/** More take several requests: an answer has 6 MB at most. */
export const maximumVolumes = { entries: 1_000_000, rows: 20_000 } as const;

export const VolumeSubject = z.enum(["transactions", "authorizations"]);
export type VolumeSubject = z.output<typeof VolumeSubject>;

const volumeQuery = z.object({
  from: moment,
  /** Not included. What is ahead of now is cut to `asOf`. At most 400 days after `from`. */
  to: moment,
  /** Authorizations are in the day of their first event, by their status as it is now. */
  of: VolumeSubject.default("transactions"),
  /** One or several of `day`, `mcc` and `status`, with commas between them. */
  groupBy: groups.default("day"),
});

const sums = {
  count: z.int().min(0),
  /** What debited Cards, and what credited them, in minor units: of transactions. */
  debitAmount: amount.optional(),
  creditAmount: amount.optional(),
  /** What was asked for, and what has cleared of it, in minor units: of authorizations. */
  requestedAmount: amount.optional(),
  clearedAmount: amount.optional(),
};

/** With the fields by which it is grouped. */
const VolumeRow = z.object({
  /** The day in the Program's time zone. */
  day: z.iso.date().optional(),
  /** Null without one. */
  mcc: z.string().nullable().optional(),
  /** As in the list. */
  status: z.union([integerEnum(TransactionStatus), AuthorizationStatus]).optional(),
  ...sums,
});
export type VolumeRow = z.output<typeof VolumeRow>;

export const VolumesView = z.object({
  from: timestamp,
  to: timestamp,
  timeZone: z.string(),
  currency: integerEnum(Currency),
  asOf: timestamp,
  /** Those with a transaction or an authorization, in the order of their groups. */
  rows: z.array(VolumeRow),
  total: z.object(sums),
});
export type VolumesView = z.output<typeof VolumesView>;

export const maximumReportSchedules = 20;

export const ReportEvery = z.enum(["day", "week", "month"]);
export type ReportEvery = z.output<typeof ReportEvery>;

export const ReportScheduleCreate = z.object({
  kind: ReportKind,
  format: ReportFormat,
  /** Weeks begin on Monday, all at midnight in the Program's time zone. */
  every: ReportEvery,
});

export const ReportScheduleView = z.object({
  scheduleId: id("reportSchedule"),
  kind: ReportKind,
  format: ReportFormat,
  every: ReportEvery,
  /** The span of the next report, which is made two minutes after its end. */
  next: z.object({ from: timestamp, to: timestamp, timeZone: z.string() }),
  dateCreated: timestamp,
});
export type ReportScheduleView = z.output<typeof ReportScheduleView>;

const route = routesWith({ api: "platform", function: "reports" });

export const reportRoutes = [
  route("POST /reports", "write createReport", "Make a report of any span, as a file", {
    creates: true,
    body: ReportCreate,
    data: ReportView,
    errors: ["NOT_FOUND"],
  }),
  route("GET /reports", "read listReports", "List reports", {
    query: listQuery(["dateCreated", "reportId"], {
      kind: ReportKind.optional(),
      status: ReportStatus.optional(),
      scheduleId: text(64).optional(),
    }),
    items: ReportView.omit({ url: true, urlExpiresAt: true }),
  }),
  route("GET /reports/{reportId}", "read viewReport", "View a report, with a URL of its file", {
    data: ReportView,
  }),
  route("POST /report-schedules", "write createSchedule", "Make a report of each day, week or month", {
    creates: true,
    body: ReportScheduleCreate,
    data: ReportScheduleView,
    errors: ["LIMIT_REACHED"],
  }),
  route("GET /report-schedules", "read listSchedules", "List the schedules of reports", {
    query: listQuery(["dateCreated", "scheduleId"], {}),
    items: ReportScheduleView,
  }),
  route("GET /report-schedules/{scheduleId}", "read viewSchedule", "View a schedule of reports", {
    data: ReportScheduleView,
  }),
  route("DELETE /report-schedules/{scheduleId}", "write deleteSchedule", "End a schedule of reports", {
    data: ReportScheduleView.pick({ scheduleId: true }),
  }),
  route(
    "GET /volumes",
    "read viewVolumes",
    "Sum up transactions or authorizations by day, merchant category and status",
    { query: volumeQuery, data: VolumesView, formats: ["html"] },
  ),
] as const;
