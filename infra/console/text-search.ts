import {
  cardholderList,
  cardholders,
  emailKey,
  phoneKey,
  searchedNames,
} from "../../shared/cardholders/cardholder.ts";
import { cards } from "../../shared/cards/card.ts";
import { cardList } from "../../shared/cards/card-view.ts";
import type { LabelledKind } from "../../shared/contract/primitives.ts";
import type { ListKind, StoredRecord } from "../../shared/lists/entry.ts";
import { listPage, listTotal } from "../../shared/lists/list-page.ts";
import { beginsSo } from "../../shared/lists/name-key.ts";
import type { Sought } from "../../shared/lists/sought.ts";
import { findByExternalId } from "../../shared/platform/labels.ts";
import { transactionList } from "../../shared/transactions/transaction.ts";
import { inTurns } from "./in-turns.ts";
import { entryHref } from "./journal.ts";
import { codeLabel } from "./labels.ts";
import { findName } from "./names.ts";
import type { Link } from "./page.ts";
import { recordViews } from "./record-views.ts";
import { hrefOfId, money } from "./values.ts";

/** What is found, and what was not looked at. */
export interface FoundByText {
  readonly links: readonly Link[];
  readonly note?: string;
}

type Find = (programId: string, text: string) => Promise<FoundByText>;

const most = 20;
/** Names and last four digits are in no index: beyond so many records, only the API looks. */
const mostRecords = 20_000;

/** By which form a text is searched; the first that fits. */
const forms: readonly (readonly [RegExp, Find])[] = [
  [
    /^[^@\s]+@[^@\s]+$/,
    (programId, text) => findCardholders(programId, [[{ attribute: "email", is: emailKey(text) }]]),
  ],
  [
    /^\+\d{6,15}$/,
    (programId, text) => findCardholders(programId, [[{ attribute: "phone", is: phoneKey(text) }]]),
  ],
  [/^[−-]?[\d,]+\.\d\d( ?[A-Za-z]{3})?$/, findAmounts],
  [/^(•{4} ?)?\d{4}$/, findLastFour],
  [/^[\p{L}][\p{L}\p{M}\s'’.-]+$/u, findNames],
];

/** People, Cards and transactions by what is written of them, in one Program. */
export async function findByText(programId: string, text: string): Promise<FoundByText> {
  const [, find] = forms.find(([form]) => form.test(text)) ?? [];
  const [found, named] = await Promise.all([find?.(programId, text), findExternal(programId, text)]);
  return { ...found, links: [...(found?.links ?? []), ...named] };
}

async function findCardholders(
  programId: string,
  sought: readonly Sought[],
  where?: (stored: StoredRecord) => boolean,
): Promise<FoundByText> {
  const { items, total } = await listPage(
    {
      records: { list: { programId, kind: cardholderList } },
      orders: { lastName: "lastName" },
      sortKeys: cardholderList.sortKeys,
      sought,
      where,
      view: (stored: StoredRecord) => toLink("cardholders", programId, cardholders.parse(stored)),
    },
    { orderBy: "lastName", sort: "asc", limit: most, offset: 0 },
  );
  return { links: items, ...tooMany(total, "Cardholders") };
}

const tooMany = (total: number, what: string) =>
  total > most ? { note: `The first ${most} of ${total.toLocaleString("en")} ${what} are shown.` } : {};

function toLink(kind: string, programId: string, record: { readonly entityId: string }): Link {
  const title = recordViews[kind]?.title ?? kind;
  return { text: `${title} ${findName(kind, { ...record })}`, href: hrefOfId(record.entityId, programId) };
}

async function unlessTooLong(
  programId: string,
  kind: ListKind,
  field: string,
  find: () => Promise<FoundByText>,
): Promise<FoundByText> {
  const total = await listTotal({ programId, kind });
  if (total <= mostRecords) return find();
  const many = total.toLocaleString("en");
  return {
    links: [],
    note: `${programId} has ${many} ${kind.name}, which have no index of it: GET /${kind.name}?${field}=… finds it.`,
  };
}

function findNames(programId: string, text: string): Promise<FoundByText> {
  const isNamed = beginsSo(text);
  return unlessTooLong(programId, cardholderList, "name", () =>
    findCardholders(programId, [], (stored) => isNamed(searchedNames(cardholders.parse(stored)))),
  );
}

function findLastFour(programId: string, text: string): Promise<FoundByText> {
  const lastFour = text.slice(-4);
  return unlessTooLong(programId, cardList, "lastFour", async () => {
    const { items, total } = await listPage(
      {
        records: { list: { programId, kind: cardList } },
        orders: { createdAt: "createdAt" },
        where: (stored: StoredRecord) => stored.lastFour === lastFour,
        view: (stored: StoredRecord) => toLink("cards", programId, cards.parse(stored)),
      },
      { orderBy: "createdAt", sort: "desc", limit: most, offset: 0 },
    );
    return { links: items, ...tooMany(total, "Cards") };
  });
}

/** Transactions of exactly this amount, whichever way it went. */
async function findAmounts(programId: string, text: string): Promise<FoundByText> {
  const minor = Math.round(Number(text.replaceAll(/[^\d.]/g, "")) * 100);
  const { items, total } = await listPage(
    {
      records: { list: { programId, kind: transactionList } },
      orders: { createdAt: "createdAt" },
      sought: [[{ attribute: "amountMinor", from: minor, to: minor }]],
      view: (stored: StoredRecord) => stored,
    },
    { orderBy: "createdAt", sort: "desc", limit: most, offset: 0 },
  );
  const links = items.map((item) => ({
    text: `${money(minor, undefined)}, ${String(item.merchantName ?? item.description)}, ${String(item.createdAt).slice(0, 16).replace("T", " ")}`,
    href: entryHref(programId, item) ?? hrefOfId(String(item.cardId), programId),
  }));
  return { links, ...tooMany(total, "transactions") };
}

/** The kinds that a client gives ids to, and their pages. */
const externals: readonly (readonly [LabelledKind, string])[] = [
  ["cardholder", "cardholders"],
  ["card", "cards"],
  ["wallet", "wallets"],
  ["control", "controls"],
  ["dispute", "disputes"],
  ["transfer", "transfers"],
];

async function findExternal(programId: string, text: string): Promise<Link[]> {
  if (text.length > 64) return [];
  return inTurns(externals, async ([kind, page]) => {
    const found = await findByExternalId(programId, kind, text);
    return Promise.all(
      found.map(async ({ recordId }) => {
        const record = await recordViews[page]?.read(programId, recordId);
        const name = record ? findName(page, record) : recordId;
        const title = recordViews[page]?.title ?? codeLabel(kind);
        return { text: `${title} ${name}, external id ${text}`, href: hrefOfId(recordId, programId) };
      }),
    );
  });
}
