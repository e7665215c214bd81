import type { Currency } from "../../shared/contract/enums.ts";
import { listOpenDepositIds, type SuspenseItem, suspenseItems } from "../../shared/deposits/suspense.ts";
import { readBatch } from "../../shared/platform/table/batch.ts";
import { readProgram } from "../../shared/tenancy/programs/program.ts";
import { amountHref } from "./amounts.ts";
import { toLabel } from "./labels.ts";
import { type Cell, type Page, type Query, toHref } from "./page.ts";
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
  const last = found.at(-1);
  const path = ["programs", programId, "lists", "open-suspense"];
  return {
    title: "Open suspense",
    trail: await programTrail(programId),
    sections: [
      {
        kind: "table",
        title: "Deposits in suspense",
        columns: columns.map((name) => ({ name: toLabel(name) })),
        rows: found.map((record) => columns.map((name) => toRow(programId, program?.currency, record, name))),
        summary: `${found.length}, the oldest first.`,
        more:
          last === undefined || found.length < pageSize
            ? []
            : [{ text: "Later ones", href: toHref(path, { from: last.suspenseId }) }],
      },
    ],
  };
}

function toRow(programId: string, currency: Currency | undefined, record: SuspenseItem, name: string): Cell {
  const href = amountHref("suspense", { programId, record, owner: undefined });
  if (name === "suspenseId")
    return { text: record.suspenseId, href: toHref(["programs", programId, "suspense", record.suspenseId]) };
  return toCell({ kind: "suspense", programId, currency, amountHref: href }, name, Object(record)[name]);
}
