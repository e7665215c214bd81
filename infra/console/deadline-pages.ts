import { listOpenDepositIds } from "../../shared/deposits/settle-suspense.ts";
import { suspenseItems } from "../../shared/deposits/suspense.ts";
import {
  type DeadlinePriority,
  type DueDeadline,
  deadlinePriorities,
  dueDeadlines,
  toPlace,
} from "../../shared/platform/deadlines.ts";
import { readBatch } from "../../shared/platform/table/batch.ts";
import { readProgram } from "../../shared/tenancy/programs/program.ts";
import { holdLink } from "./card-page.ts";
import { amountHref } from "./journal.ts";
import { codeLabel } from "./labels.ts";
import { type Cell, linkOn, type Page, type Query, toTable } from "./page.ts";
import { itemTable, toNames } from "./record-fields.ts";
import { programTrail } from "./trails.ts";
import { hrefOfId, toCell } from "./values.ts";

const pageSize = 50;
/** Deadlines of other owners that are read on the way to a page. */
const patience = 2_000;
const endOfTime = new Date("9999-12-31T00:00:00Z");

interface Wanted {
  readonly priority: DeadlinePriority;
  readonly ownerId: string;
  readonly from: string;
}

async function readDeadlines({ priority, ownerId, from }: Wanted) {
  const found: DueDeadline[] = [];
  let visited = 0;
  let last = from;
  for await (const deadline of dueDeadlines(priority, endOfTime, from || undefined)) {
    if (found.length === pageSize || visited === patience) return { found, visited, next: last };
    visited += 1;
    last = toPlace(deadline);
    if (ownerId === "" || deadline.ownerId === ownerId) found.push(deadline);
  }
  return { found, visited, next: undefined };
}

/** They name a deadline's record: a hold carries its own, and names its Card too. */
const subjects = ["authorizationId", "cardId", "cardholderId", "walletId"] as const;

export async function deadlinesPage(query: Query): Promise<Page> {
  const ownerId = query.get("ownerId") ?? "";
  const asked = deadlinePriorities.find((one) => one === query.get("priority"));
  const priority = asked ?? "urgent";
  const { found, visited, next } = await readDeadlines({ priority, ownerId, from: query.get("from") ?? "" });
  const columns = ["Due", "Kind", "Owner", "Record", "Failures"];
  const summary = `${found.length} of ${visited} read, the earliest first. One that is overdue has failed, or waits for the next minute.`;
  const more = linkOn("Later deadlines", ["deadlines"], next, { priority, ownerId });
  return {
    title: "Deadlines",
    trail: [],
    sections: [
      {
        ...toTable(`Deadlines, ${priority}`, columns, found.map(toRow), summary, more),
        filters: [
          {
            name: "priority",
            label: "Priority",
            value: priority,
            options: deadlinePriorities.map((value) => ({ value, text: codeLabel(value) })),
          },
          { name: "ownerId", label: "Program or Tenant", value: ownerId },
        ],
      },
    ],
  };
}

function toRow(deadline: DueDeadline): Cell[] {
  const { ownerId, deadlineId, kind, failures } = deadline;
  const context = { kind: "deadlines", programId: ownerId };
  const record = subjects.flatMap((name) => (name in deadline ? [String(Object(deadline)[name])] : []));
  const [subject = deadlineId] = record;
  return [
    { time: deadline.dueAt.toISOString() },
    { text: codeLabel(kind) },
    { text: ownerId, href: hrefOfId(ownerId) },
    "authorizationId" in deadline ? holdLink(ownerId, subject) : toCell(context, "deadlineId", subject),
    { text: String(failures), isNumber: true },
  ];
}

const suspenseColumns = toNames("createdAt channel amountMinor status reason account suspenseId");

/** Deposits that no Card or Wallet could take, and that wait for the operator. */
export async function suspensePage(programId: string, query: Query): Promise<Page> {
  const ids = await listOpenDepositIds(programId, query.get("from") ?? undefined, pageSize);
  const [program, items] = await Promise.all([
    readProgram(programId),
    readBatch(ids.map((id) => suspenseItems.at(programId, id).key)),
  ]);
  const found = items
    .map((item) => suspenseItems.parse(item))
    .toSorted((one, other) => (one.suspenseId < other.suspenseId ? -1 : 1));
  const next = found.length < pageSize ? undefined : found.at(-1)?.suspenseId;
  const more = linkOn("Later ones", ["programs", programId, "lists", "open-suspense"], next);
  const table = itemTable(
    "Deposits in suspense",
    { kind: "suspense", programId, currency: program?.currency },
    suspenseColumns,
    found,
    {
      summary: `${found.length}, the oldest first.`,
      more,
      of: (record) => ({ amountHref: amountHref("suspense", { programId, record }) }),
    },
  );
  return { title: "Open suspense", trail: await programTrail(programId), sections: [table] };
}
