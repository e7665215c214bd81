import { idPrefixes } from "../../shared/contract/identifiers.ts";
import { environment } from "../../shared/platform/environment.ts";
import { auditEntries } from "../../shared/tenancy/audit-log.ts";
import { codeLabel, counted, toLabel } from "./labels.ts";
import { walkItems } from "./newest-first.ts";
import { type Cell, type Changed, type Item, linkOn, type Page, type Query } from "./page.ts";
import { itemTable, toNames } from "./record-fields.ts";
import { tenantTrail } from "./trails.ts";
import { type Context, toCell } from "./values.ts";

const pageSize = 50;
const patience = 5_000;
export const platformOwner = "PLATFORM";

const columns = toNames("createdAt action changes actor subjectId programId requestId auditId");
const filters = toNames("programId action actor subjectId requestId");

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

export function auditLogPath(owner: string): string[] {
  return owner === platformOwner ? ["audit-log"] : ["tenants", owner, "audit-log"];
}

/** Entries have no secrets: what writes them leaves those out. */
export async function auditLogPage(owner: string, query: Query): Promise<Page> {
  const isPlatform = owner === platformOwner;
  const wanted = Object.fromEntries(filters.map((name) => [name, query.get(name) ?? ""]));
  const { items, next, visited } = await walkAuditLog(owner, wanted, query.get("from") ?? "");
  const table = itemTable("Entries", { kind: "audit" }, columns, items, {
    cells: { action: ({ action }) => ({ text: codeLabel(String(action)) }), changes },
    summary: `${counted(items.length, "entry", "entries")} of ${visited} read, the newest first.`,
    more: linkOn("Older entries", auditLogPath(owner), next, wanted),
    of: toContext,
  });
  const asked = filters.map((name) => ({ name, label: toLabel(name), value: wanted[name] ?? "" }));
  return {
    title: isPlatform ? "Audit log of the platform" : "Audit log",
    trail: isPlatform ? [] : await tenantTrail(owner),
    sections: [{ ...table, filters: asked }],
  };
}

/** An action begins with what it changes: statuses of two kinds have the same numbers. */
const toContext = ({ programId, action }: Item) => ({
  kind: `audit.${String(action).split(".")[0]}`,
  programId: programId as string | undefined,
});

/** What it changed, field by field: a Program's whole settings fill a screen. */
function changes(item: Item): Cell | undefined {
  const changed = differences(toContext(item), item.before, item.after);
  return changed.length === 0 ? undefined : changed;
}

/** Beyond these, a change would fill a page: the API has it whole. */
const longest = 200;

/** Each field that differs between two states of a record, such as a Program's settings. */
export function differences(context: Context, before: unknown, after: unknown): Changed[] {
  const [old, young] = [listLeaves(before), listLeaves(after)];
  return [...new Set([...old.keys(), ...young.keys()])].flatMap((path) => {
    const [was, is] = [old.get(path), young.get(path)];
    if (JSON.stringify(was) === JSON.stringify(is)) return [];
    const changed = path
      .split(".")
      .map((part) => toLabel(part))
      .join(", ");
    return [
      {
        changed,
        ...(was !== undefined && { before: toText(context, path, was) }),
        ...(is !== undefined && { after: toText(context, path, is) }),
      },
    ];
  });
}

/** Values by the paths that lead to them; lists of texts and numbers are values. */
function listLeaves(value: unknown, path: readonly string[] = []): Map<string, unknown> {
  if (value === undefined || value === null) return new Map();
  const isLeaf =
    typeof value !== "object" || (Array.isArray(value) && value.every((one) => typeof one !== "object"));
  if (isLeaf) return new Map([[path.join("."), value]]);
  return new Map(Object.entries(value).flatMap(([name, part]) => [...listLeaves(part, [...path, name])]));
}

function toText(context: Context, path: string, value: unknown): string {
  const texts = [value].flat().map((one) => {
    const cell = toCell(context, path, one);
    if ("time" in cell) return cell.time.slice(0, 19).replace("T", " ");
    return "text" in cell ? cell.text : String(one);
  });
  const text = texts.length === 0 ? "none" : texts.join(", ");
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
