import { type Currency, TransactionType } from "../../shared/contract/enums.ts";
import type { VolumeRow, VolumeSubject } from "../../shared/contract/reports.ts";
import { now } from "../../shared/platform/clock.ts";
import { sumVolumes } from "../../shared/reports/volumes.ts";
import { transactionList, transactions } from "../../shared/transactions/transaction.ts";
import { inTurns, readList } from "./in-turns.ts";
import { codeLabel, counted } from "./labels.ts";
import type { Plot } from "./page.ts";
import { money } from "./values.ts";

const days = 14;
const dayMs = 86_400_000;
/** Beyond these, a Program is left out: its volumes are in the API. */
const maximum = { entries: 50_000, rows: 5_000 } as const;
const newestDeclines = 200;

/** A Program, as the pages that go through several know it. */
export interface SeenProgram {
  readonly programId: string;
  readonly name: string;
  readonly currency: Currency;
}

/** Approvals and declines by day, declines by reason, and what was posted, of these Programs. */
export async function volumePlots(programs: readonly SeenProgram[]): Promise<Plot[]> {
  const [authorizations, posted, reasons] = await Promise.all([
    inTurns(programs, (program) => readVolumes(program, "authorizations", ["day", "status"])),
    inTurns(programs, (program) => readVolumes(program, "transactions", ["day"])),
    inTurns(programs, readReasons),
  ]);
  return [answersPlot(authorizations, programs), reasonsPlot(reasons), ...postedPlots(posted)];
}

/** `rows` is undefined for too many. */
type Read = Awaited<ReturnType<typeof readVolumes>>[number];

async function readVolumes(program: SeenProgram, of: VolumeSubject, groupBy: readonly ("day" | "status")[]) {
  const { programId } = program;
  const at = now().getTime();
  const from = new Date(Math.floor(at / dayMs - days + 1) * dayMs).toISOString();
  const asked = { programId, from, to: new Date(at).toISOString(), timeZone: "Etc/UTC", of, groupBy };
  return [{ program, rows: (await sumVolumes(asked, maximum))?.rows }];
}

/** The newest first. */
function barsOfDays(toParts: (day: string) => Plot["bars"][number]["parts"]): Plot["bars"] {
  const at = now().getTime();
  return Array.from({ length: days }, (_, index) => {
    const label = new Date(at - index * dayMs).toISOString().slice(0, 10);
    return { label, parts: toParts(label) };
  });
}

const nameLeftOut = (read: readonly Read[]) => {
  const names = read.filter(({ rows }) => rows === undefined).map(({ program }) => program.name);
  return names.length === 0 ? "" : ` Without ${names.join(", ")}: too many for a page.`;
};

function answersPlot(read: readonly Read[], programs: readonly SeenProgram[]): Plot {
  const rows = read.flatMap((one) => one.rows ?? []);
  const sum = (of: readonly VolumeRow[]) => of.reduce((total, row) => total + row.count, 0);
  const count = (day: string, isDeclined: boolean) =>
    sum(rows.filter((row) => row.day === day && (row.status === "declined") === isDeclined));
  const bars = barsOfDays((day) =>
    [count(day, false), count(day, true)].map((size) => ({ size, text: size.toLocaleString("en") })),
  );
  const many = programs.length === 1 ? "" : ` in ${programs.length} Programs`;
  return {
    kind: "plot",
    title: "Approvals and declines",
    of: "Day (UTC)",
    series: [
      { name: "Approved", tone: "good" },
      { name: "Declined", tone: "bad" },
    ],
    bars: sum(rows) === 0 ? [] : bars,
    summary: `${counted(sum(rows), "authorization")}${many} in ${days} days.${nameLeftOut(read)}`,
  };
}

/** No list knows reasons: the newest records are read. */
async function readReasons({ programId }: SeenProgram): Promise<string[]> {
  const { items } = await readList(programId, transactionList, {
    filters: { transType: TransactionType.authorization_declined },
    view: (item) => transactions.parse(item).declineReason ?? "unknown",
    limit: newestDeclines,
  });
  return items;
}

function reasonsPlot(reasons: readonly string[]): Plot {
  const counts = [...Map.groupBy(reasons, (reason) => reason)].map(
    ([reason, all]) => [reason, all.length] as const,
  );
  const sorted = counts.toSorted(([, one], [, other]) => other - one);
  return {
    kind: "plot",
    title: "Declines by reason",
    of: "Reason",
    series: [{ name: "Declined", tone: "bad" }],
    bars: sorted.map(([reason, size]) => ({
      label: codeLabel(reason),
      parts: [{ size, text: String(size) }],
    })),
    summary: `${counted(reasons.length, "decline")}, at most the newest ${newestDeclines} of each Program.`,
  };
}

/** Currencies are not added up. */
function postedPlots(read: readonly Read[]): Plot[] {
  const currencies = [...new Set(read.map(({ program }) => program.currency))];
  return currencies.flatMap((currency): Plot[] => {
    const of = read.filter(({ program }) => program.currency === currency);
    const rows = of.flatMap((one) => one.rows ?? []);
    if (rows.length === 0) return [];
    const part = (day: string, name: "debitAmount" | "creditAmount") => {
      const size = rows.reduce((total, row) => total + (row.day === day ? (row[name] ?? 0) : 0), 0);
      return { size, text: money(size, undefined) };
    };
    return [
      {
        kind: "plot",
        title: `Posted on Cards, ${money(0, currency).split(" ")[1] ?? ""}`,
        of: "Day (UTC)",
        series: [
          { name: "Debits", tone: "wait" },
          { name: "Credits", tone: "over" },
        ],
        bars: barsOfDays((day) => [part(day, "debitAmount"), part(day, "creditAmount")]),
        summary: `What transactions took from Cards and gave to them.${nameLeftOut(of)}`,
      },
    ];
  });
}
