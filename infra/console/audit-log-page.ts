import { idPrefixes } from "../../shared/contract/identifiers.ts";
import { environment } from "../../shared/platform/environment.ts";
import { auditEntries } from "../../shared/tenancy/audit-log.ts";
import { walkItems } from "./newest-first.ts";
import { type Page, type Query, toHref } from "./page.ts";
import { toCell, words } from "./values.ts";

type Item = Readonly<Record<string, unknown>>;

const pageSize = 50;
const patience = 5_000;
export const platformOwner = "PLATFORM";

const columns = [
  "createdAt",
  "auditId",
  "programId",
  "action",
  "actor",
  "subjectId",
  "requestId",
  "before",
  "after",
];
const filters = ["programId", "action", "actor", "subjectId", "requestId"];

/** The newest entries of a Tenant, or of the platform itself, that have these values. */
export function walkAuditLog(
  owner: string,
  wanted: Readonly<Record<string, string>>,
  from = "",
  limit = pageSize,
) {
  const { pk } = auditEntries.key(owner, "");
  return walkItems({
    parts: [{ pk, begin: `AUDIT#${idPrefixes.audit}_` }],
    tableName: environment.accountsTable,
    from,
    isAscending: false,
    limit,
    patience,
    isWanted: (item: Item) =>
      Object.entries(wanted).every(([name, value]) => value === "" || item[name] === value),
  });
}

/** Entries have no secrets: what writes them leaves those out. */
export async function auditLogPage(owner: string, query: Query): Promise<Page> {
  const isPlatform = owner === platformOwner;
  const path = isPlatform ? ["audit-log"] : ["tenants", owner, "audit-log"];
  const wanted = Object.fromEntries(filters.map((name) => [name, query.get(name) ?? ""]));
  const { items, next, visited } = await walkAuditLog(owner, wanted, query.get("from") ?? "");
  const more =
    next === undefined ? [] : [{ text: "Older entries", href: toHref(path, { ...wanted, from: next }) }];
  return {
    title: isPlatform ? "Audit log of the platform" : `Audit log of ${owner}`,
    trail: isPlatform ? [] : [{ text: owner, href: toHref(["tenants", owner]) }],
    sections: [
      {
        kind: "table",
        title: "Entries",
        columns: columns.map((name) => ({ name: words(name) })),
        rows: items.map((item) =>
          columns.map((name) =>
            toCell({ kind: "audit", programId: item.programId as string | undefined }, name, item[name]),
          ),
        ),
        summary: `${items.length} entries of ${visited} read, the newest first.`,
        filters: filters.map((name) => ({ name, label: words(name), value: wanted[name] ?? "" })),
        more,
      },
    ],
  };
}
