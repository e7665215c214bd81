import { listOpenDepositIds } from "../../shared/deposits/settle-suspense.ts";
import { disputeList, disputes } from "../../shared/disputes/dispute.ts";
import { openStatuses } from "../../shared/disputes/transitions.ts";
import { readEndpoints } from "../../shared/notifications/delivery/endpoint.ts";
import { now } from "../../shared/platform/clock.ts";
import { deadlinePriorities, dueDeadlines } from "../../shared/platform/deadlines.ts";
import { programs } from "../../shared/tenancy/programs/program.ts";
import { requests } from "../../shared/tenancy/requests.ts";
import { countLetters } from "../commands/dead-letters/letters.ts";
import type { Target } from "../commands/dead-letters/target.ts";
import { inTurns, readList } from "./in-turns.ts";
import { codeLabel } from "./labels.ts";
import { type Cell, type Page, type Table, toHref, toTable } from "./page.ts";
import { scanAccounts } from "./tenant-pages.ts";
import { hrefOfId, money, toCell } from "./values.ts";
import { type SeenProgram, volumePlots } from "./volume-plots.ts";

/** Programs that are looked at; the others have their own pages. */
const mostPrograms = 20;

/** What needs attention, and how much is going on. */
export async function homePage(target: Target): Promise<Page> {
  const { items, next } = await scanAccounts("PROGRAM", "", mostPrograms);
  const seen = items.slice(0, mostPrograms).map((item): SeenProgram => programs.parse(item));
  const isAll = next === undefined && items.length <= mostPrograms;
  const [attention, plots] = await Promise.all([attentionTable(target, seen, isAll), volumePlots(seen)]);
  return { title: "Home", trail: [], sections: [attention, ...plots] };
}

interface Waiting {
  /** The lower, the earlier somebody should look. */
  readonly rank: number;
  readonly text: string;
  readonly href: string;
  readonly tone: "bad" | "wait";
  readonly where?: Cell;
  readonly count?: string;
  /** Since when, or until when. */
  readonly at?: Cell;
}

const most = 100;
/** The sweep runs each minute. */
const overdueAfterMs = 2 * 60_000;
const patienceMs = 3_000;
const nothing: Cell = { text: "–" };

/** What needs the operator: failures first, then what has a deadline. */
async function attentionTable(target: Target, seen: readonly SeenProgram[], isAll: boolean): Promise<Table> {
  const waiting = (
    await Promise.all([
      deadLetters(target),
      overdue(),
      approvals(),
      inTurns(seen, failingEndpoints),
      inTurns(seen, openDisputes),
      inTurns(seen, openSuspense),
    ])
  ).flat();
  const looked = isAll
    ? ""
    : ` Of Programs, the first ${seen.length} were looked at: open another one’s page.`;
  const summary = waiting.length === 0 ? "Nothing." : `${waiting.length}, the most urgent first.`;
  const rows = waiting
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ rank: _, where = nothing, count = "1", at = nothing, ...what }): Cell[] => [
      ...[what, where, { text: count, isNumber: true as const }, at],
    ]);
  const columns = ["What", "Where", "How many", "Since or until"];
  return toTable("Needs attention", columns, rows, summary + looked);
}

async function deadLetters(target: Target): Promise<Waiting[]> {
  const timeUp = new Promise<undefined>((resolve) => setTimeout(resolve, patienceMs, undefined).unref());
  // The page has the rest also for those who may not count them.
  const counts = await Promise.race([countLetters(target).catch(() => undefined), timeUp]);
  const href = toHref(["dead-letters"]);
  if (counts === undefined)
    return [{ rank: 0, text: "Dead letters could not be counted", href, tone: "wait", count: "?" }];
  return counts
    .filter(({ messages }) => messages > 0)
    .map(({ queue, messages }) => {
      const failed = { rank: 0, text: "Dead letters", href: `${href}/${queue}`, tone: "bad" as const };
      return { ...failed, where: { text: queue }, count: String(messages) };
    });
}

async function overdue(): Promise<Waiting[]> {
  const before = new Date(now().getTime() - overdueAfterMs);
  return inTurns(deadlinePriorities, async (priority) => {
    let [count, oldest] = [0, ""];
    for await (const { dueAt } of dueDeadlines(priority, before)) {
      oldest ||= dueAt.toISOString();
      count += 1;
      if (count === most) break;
    }
    if (count === 0) return [];
    const href = toHref(["deadlines"], { priority });
    const more = { where: { text: codeLabel(priority) }, count: upTo(count), at: { time: oldest } };
    return [{ rank: 1, text: "Overdue deadlines", href, tone: "bad" as const, ...more }];
  });
}

const upTo = (count: number) => (count === most ? `${most} or more` : String(count));

async function approvals(): Promise<Waiting[]> {
  const asked = await requests.first(most);
  const [first] = asked;
  if (!first) return [];
  const at = toCell({ kind: "requests" }, "requestedAt", first.requestedAt);
  const href = toHref(["tenants"]);
  return [{ rank: 4, text: "Requests for approval", href, tone: "wait", count: upTo(asked.length), at }];
}

const inProgram = ({ programId, name }: SeenProgram): Cell => ({ text: name, href: hrefOfId(programId) });

async function failingEndpoints(program: SeenProgram): Promise<Waiting[]> {
  const all = await readEndpoints(program.programId);
  return all.flatMap(({ endpoint: { disabledReason, disabledAt }, health }): Waiting[] => {
    const isOff = disabledReason !== undefined;
    const since = isOff ? disabledAt : health?.failingSince;
    if (since === undefined) return [];
    const text = isOff ? "Webhook endpoint switched off" : "Failing webhook endpoint";
    const href = hrefOfId(program.programId);
    return [{ rank: 2, text, href, tone: "bad", where: inProgram(program), at: { time: since } }];
  });
}

/** Each with the deadline that comes first: of its status, or of the credit. */
async function openDisputes(program: SeenProgram): Promise<Waiting[]> {
  const { programId, currency } = program;
  const { items } = await readList(programId, disputeList, {
    whereCarried: ({ status }) => openStatuses.has(status),
    view: (item) => disputes.parse(item),
    ...{ sort: "asc", limit: most },
  });
  return items.flatMap(({ disputeId, amountMinor, deadlineAt, creditDueAt }): Waiting[] => {
    const [due] = [deadlineAt, creditDueAt].filter((at) => at !== undefined).toSorted();
    if (due === undefined) return [];
    const text = `Dispute of ${money(amountMinor, currency)}`;
    const href = hrefOfId(disputeId, programId);
    return [{ rank: 3, text, href, tone: "wait", where: inProgram(program), at: { time: due } }];
  });
}

async function openSuspense(program: SeenProgram): Promise<Waiting[]> {
  const ids = await listOpenDepositIds(program.programId, undefined, most);
  if (ids.length === 0) return [];
  const href = toHref(["programs", program.programId, "lists", "open-suspense"]);
  const more = { where: inProgram(program), count: upTo(ids.length) };
  return [{ rank: 4, text: "Deposits in suspense", href, tone: "wait", ...more }];
}
