import * as z from "zod";
import { numericCurrency } from "../contract/enums.ts";
import type { OutboxEvent } from "../contract/outbox.ts";
import { bookedTo } from "../ledger/stored-entry.ts";
import { kindFacts } from "../network-events/card-event.ts";
import { eventRecords } from "../network-events/plan.ts";
import { type UnpostedEvent, unpostedEvents } from "../network-events/unposted-event.ts";
import { dayMs, monotonicMs, now } from "../platform/clock.ts";
import { readBatch } from "../platform/table/batch.ts";
import { stepWorkMs } from "../platform/time-budget.ts";
import { isSettlement } from "../transactions/settled.ts";
import { clearingRecords } from "./clearing-record.ts";
import { compareFilePart, type ReportDay, readByKey, readHolds } from "./compare-files.ts";
import { scoreMatching } from "./hold-matching.ts";
import { fileClaims } from "./network-record.ts";
import { isCash, type Posted, readFeeEntries, readPosted, readRecovered, stated } from "./posted.ts";
import { reports, storeStep, unpackTally } from "./report.ts";
import { note, type Tally } from "./tally.ts";

/** Compares postings with what was delivered. Undefined where nothing can be compared. */
export type CompareWebhooks = (
  day: ReportDay,
  posted: readonly Posted[],
) => Promise<((tally: Tally) => void) | undefined>;

const usualPageSize = 500;

/** Goes on with a report until it is done, or the time is up. Each call comes further. */
export async function reconcile(
  day: ReportDay,
  tally: Tally,
  compareWebhooks: CompareWebhooks,
  endsAtMs: number,
): Promise<void> {
  do {
    await takeStep(day, tally, compareWebhooks);
  } while (tally.phase !== "done" && monotonicMs() < endsAtMs);
}

async function takeStep(day: ReportDay, tally: Tally, compareWebhooks: CompareWebhooks): Promise<void> {
  const { pageSize = usualPageSize } = day;
  switch (tally.phase) {
    case "unposted":
      for (const event of await readUnposted(day)) noteUnpostedEvent(day, tally, event);
      tally.phase = "files";
      break;
    case "files":
      if (!(await compareFilePart(day, tally))) tally.phase = "transactions";
      break;
    case "transactions": {
      const { items, total } = await readPosted(day.programId, day, tally.offset, pageSize);
      tally.total = total;
      const settlements = items.filter(({ transaction }) => isSettlement(transaction));
      for (const posted of items) sumUp(tally, posted);
      for (const posted of items) tally.disputes -= await readRecovered(day.programId, posted);
      await comparePosted(day, tally, settlements);
      const noteWebhooks = await compareWebhooks(day, settlements);
      tally.webhooksCompared ||= noteWebhooks !== undefined;
      noteWebhooks?.(tally);
      await scoreMatching(day, tally, settlements);
      toNextPage(tally, { read: items.length, pageSize }, "fees");
      break;
    }
    case "fees": {
      const { items } = await readFeeEntries(day.programId, day, tally.offset, pageSize);
      for (const entry of items) tally.fees += bookedTo(entry, "fee_income");
      toNextPage(tally, { read: items.length, pageSize }, "done");
      break;
    }
  }
}

function toNextPage(
  tally: Tally,
  { read, pageSize }: { readonly read: number; readonly pageSize: number },
  next: Tally["phase"],
): void {
  const isLast = read < pageSize;
  tally.offset = isLast ? 0 : tally.offset + read;
  if (isLast) tally.phase = next;
}

/** By the journal: the net amount is what was posted to the network's account. */
function sumUp(tally: Tally, { transaction, entry }: Posted): void {
  const interchangeMinor = bookedTo(entry, "interchange_income");
  tally.fees += bookedTo(entry, "fee_income");
  if (!isSettlement(transaction)) return;
  tally.transactions += 1;
  tally.gross += bookedTo(entry, "network_settlement") + interchangeMinor;
  tally.interchange += interchangeMinor;
}

/** Each settlement with its journal entry and, where there are files, with their records. */
async function comparePosted(day: ReportDay, tally: Tally, posted: readonly Posted[]): Promise<void> {
  const unnamed = tally.files.length > 0 ? await findUnnamed(day, posted) : new Set<Posted>();
  for (const one of posted) {
    const { transaction, entry } = one;
    const { referenceCode, transId } = transaction;
    const facts = stated(transaction);
    const booked = bookedTo(entry, "network_settlement") + bookedTo(entry, "interchange_income");
    const interchange = bookedTo(entry, "interchange_income");
    const isMoved = transaction.amountMinor !== 0 || (transaction.interchangeMinor ?? 0) !== 0;
    if (isMoved && !entry) {
      note(tally, "missing", { side: "journal", referenceCode, transId, ...facts });
      continue;
    }
    const signed = transaction.type === "DR" ? transaction.amountMinor : -transaction.amountMinor;
    if (booked !== signed || interchange !== (transaction.interchangeMinor ?? 0)) {
      const type = booked < 0 ? "CR" : "DR";
      const inJournal = { ...facts, type, amount: Math.abs(booked), interchange } as const;
      note(tally, "differing", { side: "journal", referenceCode, transId, stated: inJournal, ledger: facts });
      continue;
    }
    if (unnamed.has(one)) note(tally, "missing", { side: "network", referenceCode, transId, ...facts });
    else tally.matched += 1;
  }
}

/** What no file names, of whatever day. A withdrawal is named by its clearing. */
async function findUnnamed({ programId }: ReportDay, posted: readonly Posted[]) {
  const [fed, cleared] = await Promise.all([
    readByKey(posted, ({ transaction }) => fileClaims.at(programId, transaction.referenceCode).key),
    readByKey(posted, ({ transaction }) => clearingRecords.at(transaction.referenceCode).key),
  ]);
  const isNamed = (one: Posted) => {
    const claim = clearingRecords.parse(cleared.get(one));
    return fed.has(one) || (claim?.programId === programId && !claim.isRejected);
  };
  const unnamed = posted.filter((one) => !isNamed(one));
  const cash = unnamed.map(({ transaction }) => transaction).filter(isCash);
  const holds = await readHolds(programId, cash);
  const isCleared = ({ transaction }: Posted) =>
    isCash(transaction) && holds.get(transaction.authorizationId ?? "")?.withdrawal?.isCleared === true;
  return new Set(unnamed.filter((one) => !isCleared(one)));
}

/** Refused events of the day that were not applied later. */
async function readUnposted({ programId, start, end }: ReportDay): Promise<UnpostedEvent[]> {
  const found: UnpostedEvent[] = [];
  for (let at = start.getTime(); at < end.getTime() + dayMs; at += dayMs) {
    const utcDate = new Date(Math.min(at, end.getTime() - 1)).toISOString().slice(0, 10);
    found.push(...(await unpostedEvents.list(programId, utcDate)));
  }
  const [first, last] = [start.toISOString(), end.toISOString()];
  const ofDay = [...new Map(found.map((event) => [event.eventId, event])).values()].filter(
    ({ createdAt }) => createdAt >= first && createdAt < last,
  );
  const keys = ofDay.map(({ eventId }) => eventRecords.at(programId, eventId).key);
  const applied = new Set(
    (await readBatch(keys)).flatMap((item) =>
      eventRecords.parse(item).result?.outcome === "applied" ? String(item.pk) : [],
    ),
  );
  return ofDay.filter(({ eventId }) => !applied.has(eventRecords.at(programId, eventId).key.pk));
}

function noteUnpostedEvent({ currency }: ReportDay, tally: Tally, event: UnpostedEvent): void {
  const { eventId, kind, referenceCode = eventId, amountMinor: amount, interchangeMinor, code } = event;
  const facts = { type: kindFacts[kind].settles, amount, currency: numericCurrency[currency] } as const;
  const told = interchangeMinor === undefined ? {} : { interchange: interchangeMinor };
  if (code === "REFERENCE_EXISTS")
    note(tally, "doubled", { side: "network", referenceCode, ...facts, ...told });
  else note(tally, "missing", { side: "ledger", referenceCode, ...facts, ...told, reason: code });
}

const Step = z.object({ date: z.string(), runId: z.string(), step: z.int().default(0) });
type Step = z.output<typeof Step>;

/**
 * Takes one step of a day's report, and returns the next one. A repeated message whose step was
 * taken only returns that.
 */
export async function reportSettlement(
  event: OutboxEvent,
  compareWebhooks: CompareWebhooks,
  workMs = stepWorkMs,
): Promise<Step | undefined> {
  const { programId } = event;
  const { date, runId, step } = Step.parse(event.detail);
  const report = await reports.at(programId, date).get();
  if (report?.runId !== runId || report.isDone || report.step > step + 1 || report.step < step)
    return undefined;
  const next = { date, runId, step: step + 1 };
  if (report.step === step + 1) return next;
  const tally = unpackTally(report);
  const { currency } = report;
  const day = { programId, date, currency, start: new Date(report.start), end: new Date(report.end) };
  await reconcile(day, tally, compareWebhooks, monotonicMs() + workMs);
  const isStored = await storeStep(report, tally, now());
  return isStored && tally.phase !== "done" ? next : undefined;
}
