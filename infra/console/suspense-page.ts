import { listOpenDepositIds } from "../../shared/deposits/settle-suspense.ts";
import { suspenseItems } from "../../shared/deposits/suspense.ts";
import { readBatch } from "../../shared/platform/table/batch.ts";
import { readProgram } from "../../shared/tenancy/programs/program.ts";
import { amountHref } from "./amounts.ts";
import { linkOn, type Page, type Query } from "./page.ts";
import { itemTable, toNames } from "./record-fields.ts";
import { programTrail } from "./trails.ts";
import { hrefOfId } from "./values.ts";

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
  const table = itemTable(
    "Deposits in suspense",
    { kind: "suspense", programId, currency: program?.currency },
    columns,
    found,
    {
      cells: {
        suspenseId: ({ suspenseId }) => ({ text: suspenseId, href: hrefOfId(suspenseId, programId) }),
      },
      summary: `${found.length}, the oldest first.`,
      more,
      of: (record) => ({ amountHref: amountHref("suspense", { programId, record }) }),
    },
  );
  return { title: "Open suspense", trail: await programTrail(programId), sections: [table] };
}
