import * as z from "zod";
import type { OutboxEvent } from "../contract/outbox.ts";
import { now } from "../platform/clock.ts";
import { FilePart, Joined, joinParts, writePart } from "../platform/long-files/file-parts.ts";
import { type Next, type StepLimits, type StepTime, takeFileStep } from "../platform/long-files/long-file.ts";
import { toFileName, toMediaType, writePart as writePartText } from "./formats/forms.ts";
import { PdfState } from "./formats/pdf-state.ts";
import { Printed, toSheet } from "./formats/sheet.ts";
import { dayNames, type Month } from "./months.ts";
import { noTotals, type StatementAccount, Sum, sumMonths, type Totals, writeLines } from "./statement.ts";
import { type StatementFile, statementFiles, toMonths } from "./statement-file.ts";

/** First all months are added up, then the last one's lines are written in parts, then joined. */
const Step = z.object({
  accountId: z.string(),
  period: z.string(),
  format: z.enum(["json", "csv", "pdf", "camt053"]),
  fileId: z.string(),
  step: z.int().default(0),
  sum: Sum.optional(),
  /** The statement's totals, once they are known. */
  totals: Sum.shape.totals.optional(),
  /** What the month was closed with, perhaps by another. */
  printed: Printed.optional(),
  written: Sum.omit({ index: true }).optional(),
  parts: z.array(FilePart).default([]),
  /** What the next part of a PDF needs to know. */
  pdf: PdfState.optional(),
  isWritten: z.boolean().default(false),
  joined: Joined.optional(),
});
type Step = z.output<typeof Step>;

const entriesInPart = 20_000;
/** Pages take longer to write than lines. */
const entriesInPdfPart = 10_000;
/** Where a PDF's pages are is a message of some 30 KB then. */
const maximumPdfEntries = 100_000;

interface Work extends StepTime {
  readonly file: StatementFile;
  readonly months: readonly Month[];
  readonly account: StatementAccount;
}

/** Takes one step, and returns the next one. */
export async function makeStatementFile(
  event: OutboxEvent,
  limits: StepLimits = {},
): Promise<Step | undefined> {
  const step = Step.parse(event.detail);
  const { programId } = event;
  const { accountId, period, format } = step;
  const take = (file: StatementFile, time: StepTime) => {
    const months = toMonths(file);
    const { kind, currency, ...names } = file.account;
    const printed = step.printed ?? Printed.parse(names);
    const readPrinted = () => Promise.resolve(printed);
    const account = { kind, accountId, currency, programId, printed, readPrinted, months };
    return takeStep(step, { file, months, account, ...time });
  };
  const item = statementFiles.at(programId, accountId, period, format);
  return takeFileStep(step, { item, progressPercent: computePercent(step), take }, limits);
}

function computePercent({ sum, totals, written, isWritten }: Step): number {
  if (isWritten) return 95;
  if (!totals) return sum ? 10 : 0;
  return 20 + Math.floor((70 * (written?.totals.entries ?? 0)) / Math.max(1, totals.entries));
}

async function takeStep(step: Step, work: Work): Promise<Next<Step>> {
  const { totals } = step;
  if (!totals) return addUp(step, work);
  if (!step.isWritten) return writeNext(step, totals, work);
  const key = `${toFolder(step, work)}/${toFileName(step, step.format)}`;
  const whole = { key, contentType: toMediaType(step.format), parts: step.parts };
  const joined = await joinParts(whole, step.joined, work.isLate);
  return joined ? { joined } : { end: { key } };
}

async function addUp({ sum }: Step, { file, months, account, isTimeUp }: Work): Promise<Next<Step>> {
  const { closed, isFirst, openingMinor } = file;
  const begun = sum ?? { index: 0, totals: noTotals(openingMinor) };
  // The totals of an open month are not kept.
  const at = closed ? now() : new Date(0);
  const { kept, ...next } = await sumMonths(account, { months, isFirst, at, isTimeUp }, begun);
  if (next.index < months.length) return { sum: next };
  return { totals: next.totals, printed: kept?.printed };
}

async function readLines(
  { written }: Pick<Step, "written">,
  totals: Totals,
  work: Work,
  maximumEntries: number,
) {
  const { file, months, account, isTimeUp } = work;
  const month = months.at(-1) as Month;
  const from = file.isFirst && months.length === 1 ? undefined : month.from;
  const span = { from, until: month.until, after: written?.after };
  const begun = written?.totals ?? noTotals(totals.openingMinor);
  const made = await writeLines(account, month, { span, totals: begun, maximumEntries, isTimeUp });
  if (made.isComplete && (made.totals.hash !== totals.hash || made.totals.entries !== totals.entries))
    throw new Error(
      `The statement ${month.period} of ${account.accountId} has other entries than were added up.`,
    );
  return made;
}

async function writeNext(step: Step, totals: Totals, work: Work): Promise<Next<Step>> {
  if (step.format === "pdf" && totals.entries > maximumPdfEntries) return { end: { isTooLong: true } };
  const maximum = step.format === "pdf" ? entriesInPdfPart : entriesInPart;
  const made = await readLines(step, totals, work, maximum);
  const place = { isFirst: step.parts.length === 0, isLast: made.isComplete, state: step.pdf };
  const { text, state } = await writePartText(step.format, makeSheet(totals, work), made.lines, place);
  const parts = [...step.parts, await writePart(toFolder(step, work), step.step, text)];
  const written = { totals: made.totals, after: made.after };
  return { parts, written, isWritten: made.isComplete, pdf: state };
}

function toFolder({ fileId }: Step, { file }: Work): string {
  return `statements/${file.programId}/${fileId}`;
}

function makeSheet(totals: Totals, { file, months, account }: Work) {
  const { sequence, closed, requestedAt } = file;
  const month = months.at(-1) as Month;
  const now = new Date(requestedAt);
  const today = dayNames(month)(now.getTime());
  return toSheet({ ...account, ...account.printed, month, sequence, closed, totals, now, today });
}
