import { deflateSync, inflateSync } from "node:zlib";
import * as z from "zod";
import { Currency } from "../contract/enums.ts";
import { integerEnum } from "../contract/primitives.ts";
import type { MatchingRule, SettlementView } from "../contract/settlements.ts";
import { timestamp, unixSeconds } from "../platform/clock.ts";
import { defined } from "../platform/pick.ts";
import { runsUntilAt } from "../platform/queue/steps.ts";
import { any, atMost, isNew } from "../platform/table/condition.ts";
import { defineEntity } from "../platform/table/entity.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import type { Tally } from "./tally.ts";

const keptMs = 7 * 86_400_000;

/** A day's report that takes longer than a request: its progress, and then its result. */
const Report = z.object({
  programId: z.string(),
  date: z.string(),
  timeZone: z.string(),
  start: z.string(),
  end: z.string(),
  currency: integerEnum(Currency),
  /** Tells another report of the day. */
  runId: z.string(),
  startedAt: z.string(),
  /** How many messages it has taken. */
  step: z.int(),
  packed: z.instanceof(Uint8Array),
  isDone: z.boolean(),
  /** Counts as running until then; each step extends it. */
  runsUntil: z.string(),
  expiresAtSeconds: z.int(),
});
export type Report = Readonly<z.output<typeof Report>>;
export type NewReport = Pick<
  Report,
  "programId" | "date" | "timeZone" | "start" | "end" | "currency" | "runId" | "startedAt"
>;

export const reports = defineEntity({
  name: "settlementReport",
  schema: Report,
  key: (programId: string, date: string) => ({ pk: `${programId}#SETTLEMENT#${date}`, sk: "REPORT" }),
});

/** Fails if another one of the day is under way. */
export function reportPut(report: NewReport, tally: Tally, at: Date): WriteAction {
  const { programId, date } = report;
  const item = { ...report, step: 0, ...toProgress(tally, at) };
  const isFree = any<Report>(isNew, { isDone: true }, { runsUntil: atMost(timestamp(at)) });
  return reports.at(programId, date).put(item, isFree);
}

/**
 * Stores what a step has found. False if another message has taken the step, or another report of
 * the day has begun.
 */
export async function storeStep({ programId, date, runId, step }: Report, tally: Tally, at: Date) {
  const { updated } = await reports
    .at(programId, date)
    .updateNow({ set: { ...toProgress(tally, at), step: step + 1 } }, { runId, step });
  return updated;
}

function toProgress(tally: Tally, at: Date) {
  return {
    packed: new Uint8Array(deflateSync(JSON.stringify(tally))),
    isDone: tally.phase === "done",
    runsUntil: runsUntilAt(at),
    expiresAtSeconds: unixSeconds(new Date(at.getTime() + keptMs)),
  };
}

export function unpackTally({ packed }: Pick<Report, "packed">): Tally {
  return JSON.parse(inflateSync(packed).toString("utf8"));
}

export function isRunning({ isDone, runsUntil }: Report, at: Date): boolean {
  return !isDone && runsUntil > timestamp(at);
}

export function toReportView(
  report: Omit<NewReport, "programId" | "runId">,
  tally: Tally,
  status: SettlementView["status"],
): SettlementView {
  const { date, timeZone, start, end, currency, startedAt: asOf } = report;
  const { files, gross, interchange, disputes, fees, transactions } = tally;
  const { matched, otherDay, missing, doubled, differing, unlisted, webhooksCompared } = tally;
  return {
    ...{ date, timeZone, start, end, currency, status, progressPercent: progressPercent(tally), asOf },
    source: files.length > 0 ? "files" : "events",
    files,
    ...{ gross, interchange, net: gross - interchange, disputes, fees, transactions },
    // While it runs, records of files that differ are counted before their transactions.
    reconciliation: {
      ...{ matched: Math.max(0, matched), otherDay, missing, doubled, differing, unlisted },
      webhooksCompared,
    },
    matching: toScore(tally.matching),
  };
}

function progressPercent({ phase, offset, total }: Tally): number {
  if (phase === "done") return 100;
  if (phase === "fees") return 95;
  return phase === "transactions" ? 5 + Math.floor((90 * offset) / Math.max(1, total)) : 0;
}

function toScore({ settlements, correct, wrong, wrongAmount, unscored, lost }: Tally["matching"]) {
  const share = (of: number) => (of === 0 ? undefined : Math.round((correct / of) * 10_000) / 10_000);
  const [precision, recall] = [share(correct + wrong), share(settlements)];
  return {
    ...{ settlements, correct, wrong, wrongAmount, unscored },
    ...defined({ precision, recall }),
    lost: Object.entries(lost).map(([rule, sums]) => ({ rule: rule as MatchingRule, ...sums })),
  };
}
