import type { Currency } from "../../shared/contract/enums.ts";
import type { StoredRecord } from "../../shared/lists/kind.ts";
import { listPage } from "../../shared/lists/list-page.ts";
import { type Program, readProgram } from "../../shared/tenancy/programs/program.ts";
import { amountHref } from "./journal.ts";
import { codeLabel, toLabel } from "./labels.ts";
import { isName, type ListView } from "./list-views.ts";
import { type Cell, type Column, type Filter, type Query, type Table, toHref } from "./page.ts";
import { findPageKind, listCodes, toCell, valueAt } from "./values.ts";

const pageSize = 50;
const daySeconds = 86_400;

interface Asked {
  readonly orderBy: string;
  readonly sort: "asc" | "desc";
  readonly offset: number;
  readonly from: string;
  readonly to: string;
  readonly filters: Readonly<Record<string, string>>;
}

/** A page of a list, with its filters and orders. `path` is where it is shown. */
export async function listTable(
  programId: string,
  listView: ListView,
  path: string,
  query: Query,
): Promise<Table> {
  const { kind, name, title, columns, records } = listView;
  const sortable = ["entityId", "createdAt", ...kind.filters, ...kind.orders];
  const asked = read(kind.filters, sortable, query);
  const [program, { items, total }] = await Promise.all([
    readProgram(programId),
    listPage(
      {
        records,
        orders: Object.fromEntries(sortable.map((attribute) => [attribute, attribute])),
        sortKeys: kind.sortKeys,
        filters: Object.fromEntries(
          Object.entries(asked.filters).map(([one, text]) => [
            one,
            listCodes(name, one) ? Number(text) : text,
          ]),
        ),
        view: (record: StoredRecord) => record,
      },
      {
        ...asked,
        limit: pageSize,
        after: asked.from === "" ? undefined : dayStart(asked.from) - 0.001,
        before: asked.to === "" ? undefined : dayStart(asked.to) + daySeconds,
      },
    ),
  ]);
  const [before, after] = [Math.max(0, asked.offset - pageSize), asked.offset + pageSize];
  const pages = [
    { text: "Previous page", offset: before, isThere: asked.offset > 0 },
    { text: "Next page", offset: after, isThere: after < total },
  ];
  const link = (changed: Partial<Asked>) => hrefWith(path, { ...asked, ...changed });
  return {
    kind: "table",
    title,
    columns: columns.map((attribute) => toColumn(listView, attribute, sortable, asked, link)),
    rows: items.map((record) => toRow(listView, programId, program, record)),
    summary: summarize(asked.offset, items.length, total),
    filters: [
      ...kind.filters.map((one) => toFilter(name, one, asked)),
      { name: "from", label: "From day (UTC)", value: asked.from, isDay: true },
      { name: "to", label: "To day (UTC)", value: asked.to, isDay: true },
    ],
    kept: { orderBy: asked.orderBy, sort: asked.sort },
    more: pages
      .filter(({ isThere }) => isThere)
      .map(({ text, offset }) => ({ text, href: link({ offset }) })),
  };
}

/** What does not fit counts as not asked for. */
function read(filters: readonly string[], sortable: readonly string[], query: Query): Asked {
  const orderBy = query.get("orderBy") ?? "";
  const offset = Number(query.get("offset") ?? 0);
  const day = (name: string) => {
    const text = query.get(name) ?? "";
    return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : "";
  };
  return {
    orderBy: sortable.includes(orderBy) ? orderBy : "createdAt",
    sort: query.get("sort") === "asc" ? "asc" : "desc",
    offset: Number.isSafeInteger(offset) && offset > 0 ? offset : 0,
    from: day("from"),
    to: day("to"),
    filters: Object.fromEntries(
      filters.flatMap((name) => (query.get(name) ? [[name, String(query.get(name))]] : [])),
    ),
  };
}

const dayStart = (day: string) => Date.parse(day) / 1000;

function toRow(
  view: Pick<ListView, "name" | "columns" | "owner" | "id">,
  programId: string,
  program: Pick<Program, "currency"> | undefined,
  record: StoredRecord,
): Cell[] {
  const { name: kind, columns, owner } = view;
  const href = amountHref(kind, { programId, record, owner });
  const currency = (record.currency as Currency | undefined) ?? program?.currency;
  const id = String(record[view.id]);
  // Processors name authorizations as they like.
  const page = kind === "authorizations" ? kind : findPageKind(id);
  const named = page && columns.find((attribute) => isName(attribute));
  return columns.map((attribute) => {
    const value = valueAt(record, attribute);
    const cell = toCell({ kind, programId, currency, amountHref: href }, attribute, value);
    return page && (attribute === named || attribute === view.id) && "text" in cell
      ? { ...cell, href: toHref(["programs", programId, page, id]) }
      : cell;
  });
}

function toColumn(
  view: ListView,
  attribute: string,
  sortable: readonly string[],
  { orderBy, sort }: Asked,
  link: (changed: Partial<Asked>) => string,
): Column {
  const isId = attribute === view.id;
  const name = isId ? "Id" : toLabel(attribute, view.name);
  const order = isId ? "entityId" : attribute;
  if (!sortable.includes(order)) return { name };
  const isSorted = orderBy === order;
  const href = link({ orderBy: order, sort: isSorted && sort === "desc" ? "asc" : "desc", offset: 0 });
  return isSorted ? { name, href, sorted: sort === "asc" ? "ascending" : "descending" } : { name, href };
}

function toFilter(name: string, attribute: string, { filters }: Asked): Filter {
  const codes = listCodes(name, attribute);
  const options =
    codes && Object.entries(codes).map(([word, code]) => ({ value: String(code), text: codeLabel(word) }));
  const value = filters[attribute] ?? "";
  return { name: attribute, label: toLabel(attribute, name), value, ...(options && { options }) };
}

function hrefWith(path: string, { filters, offset, ...asked }: Asked): string {
  const given = Object.entries({ ...filters, ...asked, offset: offset === 0 ? "" : String(offset) });
  return `${path}?${new URLSearchParams(given.filter(([, value]) => value !== ""))}`;
}

function summarize(offset: number, count: number, total: number): string {
  const all = total.toLocaleString("en");
  if (count === 0) return `None of ${all}.`;
  return `${(offset + 1).toLocaleString("en")} to ${(offset + count).toLocaleString("en")} of ${all}.`;
}
