import { authenticationList, readAuthenticationKeys } from "../../shared/authentications/authentication.ts";
import { chooseCountedList } from "../../shared/authorizations/holds/counted-list.ts";
import { holdList } from "../../shared/authorizations/holds/hold.ts";
import { cards } from "../../shared/cards/card.ts";
import { cardList } from "../../shared/cards/card-view.ts";
import { findCardRecords, listCardIds } from "../../shared/cards/cards-of-cardholder.ts";
import type { Currency } from "../../shared/contract/enums.ts";
import { idPrefixes } from "../../shared/contract/identifiers.ts";
import { controlList, controls, readControlKeys } from "../../shared/controls/control.ts";
import { accountDepositList } from "../../shared/deposits/deposit.ts";
import { walletTransactionList } from "../../shared/ledger/wallet-transactions.ts";
import { programLists } from "../../shared/list-kinds.ts";
import { type ListKind, listAttributes, type StoredRecord } from "../../shared/lists/kind.ts";
import { listPage, type Records } from "../../shared/lists/list-page.ts";
import { accountUpdateList, accountUpdates } from "../../shared/plastics/plastic.ts";
import type { Key } from "../../shared/platform/table/keys.ts";
import { type Program, readProgram } from "../../shared/tenancy/programs/program.ts";
import { readTokenKeys, tokenList } from "../../shared/tokens/token.ts";
import { feeList } from "../../shared/transactions/fee.ts";
import { transactionList } from "../../shared/transactions/transaction.ts";
import { transferList } from "../../shared/wallets/transfer-list.ts";
import { amountHref } from "./journal.ts";
import { codeLabel, toLabel } from "./labels.ts";
import { type Cell, type Column, type Filter, type Query, type Table, toHref } from "./page.ts";
import { findPageKind, isStatus, listCodes, toCell, valueAt } from "./values.ts";

/** A list as a table. Its filters and orders are those of its kind. */
export interface ListView {
  readonly kind: ListKind;
  /** What the records are called, on pages and in codes. */
  readonly name: string;
  readonly title: string;
  /** The attribute with the id that pages have: `entityId` unless the record has another. */
  readonly id: string;
  /** The attributes that are shown, and no others. */
  readonly columns: readonly string[];
  readonly records: Records | Promise<Records>;
  /** The account whose list it is. */
  readonly owner?: string | undefined;
}

/** What each list shows beside its id, its own attributes and the time of creation. */
const moreColumns: Readonly<Record<string, readonly string[]>> = {
  authorizations: ["merchant.merchantName", "cardId"],
  bulks: ["lines", "done", "succeeded", "duplicates", "failed", "doneAt"],
  cards: ["lastFour", "cardForm", "currency"],
  cardholders: ["firstName", "openCards"],
  wallets: ["name", "currency"],
  transactions: ["type", "interchangeMinor", "merchantName", "description", "declineReason"],
  fees: ["description", "relatedTransId", "reversedBy"],
  deposits: ["account", "reference"],
  controls: ["cardId", "cardholderId"],
  disputes: ["cardId", "reason", "referenceCode"],
  reports: ["format", "from", "to", "rows", "bytes", "doneAt"],
  suspense: ["amountMinor", "status", "reason", "channel", "account"],
  transfers: ["destinationId", "transferredAmountMinor", "declineReason", "memo"],
  walletTransactions: ["relatedId", "description"],
};

const ids: Readonly<Record<string, string>> = { suspense: "suspenseId", counted: "transId" };

/** Internal attributes of list entries, and personal data that operators do not need. */
const hiddenColumns: ReadonlySet<string> = new Set([
  ...["storedIn", "bodySha256", "soughtLastName", "soughtName", "email", "phone"],
]);

function toView(kind: ListKind, records: ListView["records"], title: string, name = kind.name): ListView {
  const attributes = listAttributes(kind).filter((attribute) => !hiddenColumns.has(attribute));
  const id = ids[name] ?? "entityId";
  const amounts = attributes.filter((attribute) => attribute.endsWith("Minor"));
  const named = ["createdAt", ...amounts, ...attributes, ...(moreColumns[name] ?? []), id];
  const owner = "list" in records ? records.list?.owner : undefined;
  const columns = [...new Set(named)].toSorted((one, other) => findPlace(one, id) - findPlace(other, id));
  return { kind, name, title, id, records, owner, columns };
}

/** Whom or what a record is about. */
const names = /^((merchant\.)?merchantName|firstName|lastName|cardHolderLastName|nickname|name|lastFour)$/;

const types = /^(transType|feeType|type|eventType|channel|kind|reportKind|wallet|network|accountType)$/;

/** Time, name, type, amount and status come first, ids last. */
function findPlace(attribute: string, id: string): number {
  if (attribute === id) return 7;
  if (attribute === "createdAt") return 0;
  if (names.test(attribute)) return 1;
  if (types.test(attribute)) return 2;
  if (/^(amountMinor|requestedMinor|requestedAmountMinor)$/.test(attribute)) return 3;
  if (isStatus(attribute)) return 4;
  return /(Id|Sha256|sha256|endToEndId)$/.test(attribute) ? 6 : 5;
}

const titles: Readonly<Record<string, string>> = {
  notifications: "Webhooks",
  walletTransactions: "Transactions",
};

/** What a list is called, by the name of its kind. */
export function toListTitle(name: string): string {
  return titles[name] ?? codeLabel(name);
}

/** The sum of open holds is a list of one entry, which pages cannot show. */
export const shownLists: readonly ListKind[] = programLists.filter((kind) => kind !== holdList);

/** By the kind's name. */
export function findProgramList(programId: string, name: string): ListView | undefined {
  const kind = shownLists.find((one) => one.name === name);
  return kind && toView(kind, { list: { programId, kind } }, toListTitle(kind.name));
}

type FindOwned = (programId: string, owner: string) => ListView | Promise<ListView>;

/** The list of an account, or of another record. */
const listOf =
  (kind: ListKind, title: string, name?: string): FindOwned =>
  (programId, owner) =>
    toView(kind, { list: { programId, kind, owner } }, title, name);

/** A few records, whose keys are read. */
const few =
  (
    kind: ListKind,
    title: string,
    readKeys: (programId: string, owner: string) => Promise<Key[]>,
  ): FindOwned =>
  async (programId, owner) =>
    toView(kind, { keys: await readKeys(programId, owner) }, title);

const ofCard =
  (kind: typeof transactionList | typeof feeList, title: string): FindOwned =>
  (programId, cardId) =>
    toView(kind, findCardRecords(kind, { programId, cardId }), title);

const ownDeposits = listOf(accountDepositList, "Deposits", "deposits");
const ownControls = few(controlList, "Controls", readControlKeys);

/** What is listed of a record: by the prefix of its id, and by the name in its page's path. */
const owned: Readonly<Record<string, Readonly<Record<string, FindOwned>>>> = {
  [idPrefixes.card]: {
    transactions: ofCard(transactionList, "Transactions"),
    fees: ofCard(feeList, "Fees"),
    deposits: ownDeposits,
    controls: ownControls,
    tokens: few(tokenList, "Tokens", (programId, cardId) => readTokenKeys(programId, [cardId])),
    authentications: few(authenticationList, "Authentications", (programId, cardId) =>
      readAuthenticationKeys(programId, [cardId]),
    ),
    accountUpdates: async (programId, cardId) =>
      toView(accountUpdateList, { given: await accountUpdates.list(programId, cardId) }, "Account updates"),
  },
  [idPrefixes.cardholder]: {
    cards: few(cardList, "Cards", async (programId, cardholderId) =>
      (await listCardIds(programId, cardholderId)).map((cardId) => cards.key(programId, cardId)),
    ),
    controls: ownControls,
  },
  [idPrefixes.wallet]: {
    deposits: ownDeposits,
    transfers: listOf(transferList, "Transfers"),
    walletTransactions: listOf(walletTransactionList, "Transactions"),
  },
  [idPrefixes.control]: {
    counted: async (programId, owner) => {
      const kind = chooseCountedList((await controls.at(programId, owner).get()) ?? {});
      return listOf(kind, "Counted transactions", "counted")(programId, owner);
    },
  },
};

/** Undefined for a record, or a name, that has no list. Both are what an address names. */
export async function findOwnedList(
  programId: string,
  owner: string,
  name: string,
): Promise<ListView | undefined> {
  const prefix = owner.split("_")[0] ?? "";
  const lists = Object.hasOwn(owned, prefix) ? owned[prefix] : undefined;
  return lists && Object.hasOwn(lists, name) ? lists[name]?.(programId, owner) : undefined;
}

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
  const pages = [
    { text: "Previous page", offset: Math.max(0, asked.offset - pageSize), isThere: asked.offset > 0 },
    { text: "Next page", offset: asked.offset + pageSize, isThere: asked.offset + pageSize < total },
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
  const named = page && columns.find((attribute) => names.test(attribute));
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
