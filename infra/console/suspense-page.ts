import type { Currency } from "../../shared/contract/enums.ts";
import { listOpenDepositIds } from "../../shared/deposits/settle-suspense.ts";
import { type SuspenseItem, suspenseItems } from "../../shared/deposits/suspense.ts";
import { readBatch } from "../../shared/platform/table/batch.ts";
import { readProgram } from "../../shared/tenancy/programs/program.ts";
import { amountHref } from "./amounts.ts";
import { toLabel } from "./labels.ts";
import { type Cell, linkOn, type Page, type Query, toHref, toTable } from "./page.ts";
import { toNames } from "./record-fields.ts";
import { programTrail } from "./trails.ts";
import { toCell } from "./values.ts";

const pageSize = 50;
const columns = toNames("createdAt channel amountMinor status reason account suspenseId");

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
  const labels = columns.map((name) => toLabel(name));
  const rows = found.map((record) =>
    columns.map((name) => makeCell(programId, program?.currency, record, name)),
  );
  return {
    title: "Open suspense",
    trail: await programTrail(programId),
    sections: [toTable("Deposits in suspense", labels, rows, `${found.length}, the oldest first.`, more)],
  };
}

function makeCell(
  programId: string,
  currency: Currency | undefined,
  record: SuspenseItem,
  name: string,
): Cell {
  const href = amountHref("suspense", { programId, record, owner: undefined });
  if (name === "suspenseId")
    return { text: record.suspenseId, href: toHref(["programs", programId, "suspense", record.suspenseId]) };
  return toCell({ kind: "suspense", programId, currency, amountHref: href }, name, Object(record)[name]);
}
