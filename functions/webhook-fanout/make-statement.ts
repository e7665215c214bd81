import * as z from "zod";
import {
  fileNameOf,
  formOf,
  mediaTypeOf,
  type PartedFormat,
} from "../../shared/adapters/statements/forms.ts";
import { toSheet } from "../../shared/adapters/statements/sheet.ts";
import type { OutboxEvent } from "../../shared/contract/outbox.ts";
import type { StatementLine } from "../../shared/contract/statements.ts";
import type { QueuedMessage } from "../../shared/delivery/fan-out.ts";
import { noTotals, sumMonths, type Totals } from "../../shared/domain/statements/closed-month.ts";
import { dayNames, type Month } from "../../shared/domain/statements/months.ts";
import { type StatementAccount, writeLines } from "../../shared/domain/statements/statement.ts";
import {
  advanceStatementFile,
  type FileName,
  type StatementFile,
  toMonths,
} from "../../shared/domain/statements/statement-file.ts";
import { monotonicMs, now } from "../../shared/platform/clock.ts";
import { environment } from "../../shared/platform/environment.ts";
import { filesBucket } from "../../shared/platform/file-store.ts";
import { randomToken } from "../../shared/platform/id.ts";

const Sum = z.object({
  index: z.int(),
  totals: z.object({ openingMinor: z.int(), closingMinor: z.int(), entries: z.int(), hash: z.string() }),
  after: z.string().optional(),
});

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
  written: Sum.omit({ index: true }).optional(),
  /** Names and sizes of the parts. What a killed step wrote has another name. */
  parts: z.array(z.object({ name: z.string(), bytes: z.int() })).default([]),
  isWritten: z.boolean().default(false),
});
type Step = z.output<typeof Step>;

const maximumWorkMs = 8_000;
/** However slow they are: each step gets further. */
const minimumReads = 200;
const entriesInPart = 20_000;
/** They are joined in memory. */
const maximumBytes = 200_000_000;
/** A PDF is made at once, and is for people. */
const maximumPdfEntries = 5_000;

interface Work {
  readonly file: StatementFile;
  readonly months: readonly Month[];
  readonly account: StatementAccount;
  readonly isTimeUp: () => boolean;
}

/** Takes one step, and makes a message for the rest. A repeated message takes the same step. */
export async function makeStatement(event: OutboxEvent, workMs = maximumWorkMs): Promise<QueuedMessage[]> {
  const step = Step.parse(event.detail);
  const name: FileName = { programId: event.programId, ...step };
  const progressPercent = percentOf(step);
  const file = await advanceStatementFile(name, step.step, { progressPercent }, now());
  if (!file) return [];
  const endsAtMs = monotonicMs() + workMs;
  let asked = 0;
  const isTimeUp = () => {
    asked += 1;
    return asked >= minimumReads && monotonicMs() >= endsAtMs;
  };
  const months = toMonths(file);
  const account = { programId: event.programId, ...file.account, months };
  const work = { file, months, account, isTimeUp };
  const next = await takeStep(step, work);
  if ("end" in next) {
    await advanceStatementFile(name, step.step, { ...next.end, progressPercent: 100 }, now());
    return [];
  }
  const detail = { ...step, ...next, step: step.step + 1 };
  return [{ queueUrl: environment.webhookQueueUrl, message: { body: { detail: { ...event, detail } } } }];
}

function percentOf({ sum, totals, written, isWritten }: Step): number {
  if (isWritten) return 95;
  if (!totals) return sum ? 10 : 0;
  return 20 + Math.floor((70 * (written?.totals.entries ?? 0)) / Math.max(1, totals.entries));
}

type Next = Partial<Step> | { readonly end: { readonly key: string } | { readonly isTooLong: true } };

async function takeStep(step: Step, work: Work): Promise<Next> {
  const { totals } = step;
  if (!totals) return addUp(step, work);
  if (step.format === "pdf") return writePdf(step, totals, work);
  if (!step.isWritten) return writePart(step, step.format, totals, work);
  return join(step, work);
}

async function addUp({ sum }: Step, { file, months, account, isTimeUp }: Work): Promise<Next> {
  const { programId, closed, isFirst, openingMinor } = file;
  const begun = sum ?? { index: 0, totals: noTotals(openingMinor) };
  // The totals of an open month are not kept.
  const at = closed ? now() : new Date(0);
  const next = await sumMonths({ programId, account, months, isFirst, at, isTimeUp }, begun);
  return next.index === months.length ? { totals: next.totals } : { sum: next };
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

async function writePdf(step: Step, totals: Totals, work: Work): Promise<Next> {
  if (totals.entries > maximumPdfEntries) return { end: { isTooLong: true } };
  const { lines } = await readLines({}, totals, { ...work, isTimeUp: () => false }, maximumPdfEntries);
  const { renderPdf } = await import("../../shared/adapters/statements/pdf.ts");
  return { end: { key: await keep(step, Buffer.from(await renderPdf(sheetOf(totals, work), lines)), work) } };
}

async function writePart(step: Step, format: PartedFormat, totals: Totals, work: Work): Promise<Next> {
  const made = await readLines(step, totals, work, entriesInPart);
  const form = await formOf(format);
  const sheet = sheetOf(totals, work);
  const isFirst = step.parts.length === 0;
  const toText = (line: StatementLine, index: number) => form.line(sheet, line, isFirst && index === 0);
  const text = [
    isFirst ? form.head(sheet) : "",
    ...made.lines.map(toText),
    made.isComplete ? form.tail(sheet) : "",
  ];
  const bytes = Buffer.from(text.join(""));
  const name = `statements/${work.file.programId}/${step.fileId}/${step.step}-${randomToken(9)}`;
  await filesBucket.write(name, bytes, "application/octet-stream");
  const parts = [...step.parts, { name, bytes: bytes.length }];
  if (parts.reduce((sum, part) => sum + part.bytes, 0) > maximumBytes) return { end: { isTooLong: true } };
  return { parts, written: { totals: made.totals, after: made.after }, isWritten: made.isComplete };
}

async function join(step: Step, work: Work): Promise<Next> {
  const whole = Buffer.alloc(step.parts.reduce((sum, { bytes }) => sum + bytes, 0));
  let offset = 0;
  for (const { name, bytes } of step.parts) {
    const part = await filesBucket.read(name);
    if (part?.length !== bytes) throw new Error(`The part ${name} of a statement is gone.`);
    whole.set(part, offset);
    offset += bytes;
  }
  return { end: { key: await keep(step, whole, work) } };
}

async function keep(
  { fileId, format, period, accountId }: Step,
  bytes: Uint8Array,
  { file }: Work,
): Promise<string> {
  const key = `statements/${file.programId}/${fileId}/${fileNameOf({ accountId, period }, format)}`;
  await filesBucket.write(key, bytes, mediaTypeOf(format));
  return key;
}

function sheetOf(totals: Totals, { file, months }: Work) {
  const month = months.at(-1) as Month;
  const at = new Date(file.requestedAt);
  const { account, sequence, closed } = file;
  return toSheet({
    ...account,
    month,
    sequence,
    closed,
    totals,
    now: at,
    today: dayNames(month)(at.getTime()),
  });
}
