import { expect, vi } from "vitest";
import { OutboxEvent } from "../../../shared/contract/outbox.ts";
import type { ReportView } from "../../../shared/contract/reports.ts";
import { makeReport } from "../../../shared/reports/make-report.ts";
import type { GivenProgram } from "../../harness/given-cards.ts";
import { nextMessage } from "../../harness/given-jobs.ts";
import { fetched } from "../../harness/given-objects.ts";
import { eventsIn, storedItems } from "../../harness/stored.ts";

type Limits = Parameters<typeof makeReport>[1];

/** A few rows are a step. */
export const smallest = { workMs: 0, rowsInPage: 2, partBytes: 1, settleMs: 0 };

export function reportsOf(program: GivenProgram) {
  const { programId } = program;
  const taken = new Set<string>();
  const view = async (reportId: string) => {
    const { status, body } = await program.call("GET /reports/{reportId}", { path: { reportId } });
    expect(status).toBe(200);
    return body.data as ReportView;
  };
  const ask = async (body: object) => {
    const answer = await program.call("POST /reports", { body: { format: "jsonl", ...body } });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return answer.body.data as ReportView;
  };
  /** Requests that were not taken yet, oldest first. */
  const requests = async () => {
    const found = eventsIn(await storedItems(programId)).filter(({ kind }) => kind === "report.requested");
    const left = found.filter(({ eventId }) => !taken.has(eventId));
    for (const { eventId } of left) taken.add(eventId);
    return left.map((event) => OutboxEvent.parse(event));
  };
  const work = async (limits: Limits = { settleMs: 0 }) => {
    let steps = 0;
    for (let left = await requests(); left.length > 0; left = await requests())
      for (let event = left.shift(); event; event = left.shift()) {
        steps += 1;
        left.unshift(...nextMessage(event, await makeReport(event, limits)));
        if (steps > 2_000) throw new Error("The reports do not end.");
      }
    return steps;
  };
  const text = async (reportId: string) => fetched((await view(reportId)).url ?? "");
  const make = async (body: object, limits?: Limits) => {
    const { reportId } = await ask(body);
    await work(limits);
    const made = (await view(reportId)) as Required<ReportView>;
    expect(made.status).toBe("done");
    return { ...made, text: await text(reportId) };
  };
  return { view, ask, requests, work, text, make };
}

export function rowsOf(text: string): Record<string, unknown>[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

export function pass(ms: number): void {
  vi.setSystemTime(Date.now() + ms);
}
