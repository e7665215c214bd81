import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ReportView } from "../../../shared/contract/reports.ts";
import { nextSpan, reportSchedules } from "../../../shared/reports/schedule.ts";
import { type GivenProgram, givenCard, givenProgram } from "../../harness/given-cards.ts";
import { sweepDeadlines } from "../../harness/sweep-deadlines.ts";
import { pass, reportsOf, rowsOf } from "./given-reports.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

const hourMs = 3_600_000;

async function givenSchedule(at: string, every: string, timeZone = "Europe/Berlin") {
  vi.setSystemTime(new Date(at));
  const program = await givenProgram({ settings: { timeZone } });
  const body = { kind: "cards", format: "jsonl", every };
  const answer = await program.call("POST /report-schedules", { body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return { program, schedule: answer.body.data };
}

/** The spans of the schedule's reports, oldest first. */
async function spansOf(program: GivenProgram, scheduleId: string): Promise<ReportView[]> {
  const query = { scheduleId, sort: "asc", orderBy: "reportId", limit: "200" };
  return (await program.call("GET /reports", { query })).body.items;
}

/** Sweeps once a minute until so many reports are made. */
async function sweepUntil(program: GivenProgram, scheduleId: string, count: number) {
  for (let sweeps = 0; sweeps <= count; sweeps += 1) {
    await sweepDeadlines();
    pass(60_000);
    const spans = await spansOf(program, scheduleId);
    if (spans.length >= count) return spans;
  }
  throw new Error("The reports are not made.");
}

const lengths = (spans: readonly ReportView[]) =>
  spans.map(({ from, to }) => (Date.parse(to) - Date.parse(from)) / hourMs);

function expectChain(spans: readonly ReportView[]) {
  for (const [index, { to }] of spans.slice(0, -1).entries()) expect(spans[index + 1]?.from).toBe(to);
}

describe("a schedule", () => {
  it("makes each span two minutes after its end, not before", async () => {
    const { program, schedule } = await givenSchedule("2071-11-03T12:00:00Z", "day");
    const { scheduleId } = schedule;
    const from = "2071-11-02T23:00:00.000Z";
    const to = "2071-11-03T23:00:00.000Z";
    expect(schedule).toMatchObject({ every: "day", next: { from, to, timeZone: "Europe/Berlin" } });
    await givenCard(program);
    vi.setSystemTime(new Date(Date.parse(to) + 119_000));
    await sweepDeadlines();
    expect(await spansOf(program, scheduleId)).toEqual([]);
    pass(1_000);
    await sweepDeadlines();
    const [report] = await spansOf(program, scheduleId);
    expect(report).toMatchObject({ kind: "cards", from, to, scheduleId, asOf: new Date().toISOString() });
    const reports = reportsOf(program);
    await reports.work();
    expect(rowsOf(await reports.text(report?.reportId ?? ""))).toHaveLength(1);
    await sweepDeadlines();
    expect(await spansOf(program, scheduleId)).toHaveLength(1);
    expect((await reportSchedules.at(program.programId, scheduleId).require()).next.from).toBe(to);
  }, 30_000);

  it.each([
    ["day", "2071-03-27T12:00:00Z", [24, 24, 23, 24]],
    ["day", "2071-10-23T12:00:00Z", [24, 24, 25, 24]],
    ["week", "2071-03-25T12:00:00Z", [167, 168]],
    ["week", "2071-10-21T12:00:00Z", [169, 168]],
    ["month", "2071-02-10T12:00:00Z", [28 * 24, 31 * 24 - 1, 30 * 24]],
    ["month", "2071-10-31T22:59:59.999Z", [31 * 24 + 1, 30 * 24]],
  ])(
    "makes each %s once where clocks change, those missed too: %s",
    async (every, at, expected) => {
      const { program, schedule } = await givenSchedule(at, every);
      const { scheduleId } = schedule;
      const hours = expected.reduce((sum, one) => sum + one, 0);
      vi.setSystemTime(new Date(Date.parse(schedule.next.from) + hours * hourMs + 120_000));
      const spans = await sweepUntil(program, scheduleId, expected.length);
      expect(lengths(spans)).toEqual(expected);
      expectChain(spans);
      if (every === "week") for (const { from } of spans) expect(new Date(from).getUTCDay()).toBe(0);
    },
    30_000,
  );

  it("leaves no gap and overlaps nothing where the time zone changes", async () => {
    const { program, schedule } = await givenSchedule("2071-11-03T12:00:00Z", "day", "Pacific/Kiritimati");
    const zones = ["Pacific/Pago_Pago", "Asia/Kolkata", "Pacific/Kiritimati", "America/New_York"];
    const all: ReportView[] = [];
    for (const [index, timeZone] of zones.entries()) {
      pass(index * 7 * hourMs);
      const path = { programId: program.programId };
      const { status } = await program.call("PUT /account/programs/{programId}/settings", {
        path,
        body: { timeZone },
      });
      expect(status).toBe(200);
      const { next } = await reportSchedules.at(program.programId, schedule.scheduleId).require();
      vi.setSystemTime(new Date(Math.max(Date.now(), Date.parse(next.until) + 120_000)));
      all.push(...(await sweepUntil(program, schedule.scheduleId, index + 1)).slice(index));
    }
    expectChain(all);
    expect(all.map(({ timeZone }) => timeZone)).toContain("Asia/Kolkata");
    for (const hours of lengths(all)) expect(hours).toBeGreaterThan(0);
  }, 30_000);

  it("is ended by its deletion; its reports stay", async () => {
    const { program, schedule } = await givenSchedule("2071-11-03T12:00:00Z", "day");
    const path = { scheduleId: schedule.scheduleId };
    pass(48 * hourMs);
    await sweepUntil(program, schedule.scheduleId, 1);
    expect((await program.call("DELETE /report-schedules/{scheduleId}", { path })).status).toBe(200);
    pass(48 * hourMs);
    await sweepDeadlines();
    expect(await spansOf(program, schedule.scheduleId)).toHaveLength(1);
  }, 30_000);
});

it("the next span of a day that is over in the new time zone is the one after it", () => {
  const until = "2071-11-21T12:00:00.000Z";
  const program = { createdAt: "2071-01-01T00:00:00.000Z", settings: { timeZone: "Pacific/Kiritimati" } };
  const span = { date: "2071-11-20", from: "2071-11-20T11:00:00.000Z", until, timeZone: "Etc/GMT+12" };
  expect(nextSpan(program, "day", span)).toEqual({
    date: "2071-11-22",
    from: until,
    until: "2071-11-22T10:00:00.000Z",
    timeZone: "Pacific/Kiritimati",
  });
});
