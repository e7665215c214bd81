import { cardholderList } from "../../../shared/cardholders/cardholder.ts";
import { cardList } from "../../../shared/cards/card-view.ts";
import { type Entry, type ListKind, listAttributes } from "../../../shared/lists/kind.ts";
import type { Order } from "../../../shared/lists/page-spec.ts";
import { transactionList } from "../../../shared/transactions/transaction.ts";
import { transferList } from "../../../shared/wallets/transfer-list.ts";
import type { ListedEntries, Loaded } from "./list-load.ts";

/** A list of the API, and the parameters for its entries' fields. */
export interface List {
  readonly route:
    | "GET /cards/transactions"
    | "GET /cards"
    | "GET /cardholders"
    | "GET /wallets/{walletId}/transfers";
  readonly kind: ListKind;
  readonly orders: Readonly<Record<string, Order>>;
  readonly filters: readonly Readonly<Record<string, number>>[];
  readonly attributes: Readonly<Record<string, string>>;
  readonly except?: readonly [attribute: string, value: number];
  readonly idName: string;
  readonly sizes: readonly number[];
}

export const lists: readonly List[] = [
  {
    route: "GET /cards/transactions",
    kind: transactionList,
    orders: { transDate: 2, transId: "id", amount: 3, transType: 0, transStatus: 1 },
    filters: [
      {},
      { transType: 80 },
      { transStatus: 2 },
      { transStatus: 4 },
      { transType: 20, transStatus: 3 },
    ],
    attributes: { transType: "transType", transStatus: "transStatus" },
    except: ["transStatus", 4],
    idName: "transId",
    sizes: [1_000, 30_000, 1_000_000],
  },
  {
    route: "GET /cards",
    kind: cardList,
    orders: {
      createdDatetime: "createdAt",
      cardId: "id",
      issuerCardStatus: 0,
      cardholderId: 1,
      cardHolderLastName: 2,
    },
    filters: [{}, { issuerCardStatus: 1 }, { issuerCardStatus: 4 }],
    attributes: { issuerCardStatus: "issuerCardStatus" },
    idName: "cardId",
    sizes: [1_000, 200_000],
  },
  {
    route: "GET /cardholders",
    kind: cardholderList,
    orders: { dateCreated: "createdAt", cardholderId: "id", status: 0, lastName: 1 },
    filters: [{}, { status: 1 }, { status: 3 }],
    attributes: { status: "status" },
    idName: "cardholderId",
    sizes: [1_000, 200_000],
  },
  {
    route: "GET /wallets/{walletId}/transfers",
    kind: transferList,
    orders: { dateCreated: "createdAt", transferId: "id", amount: 2 },
    filters: [{}, { transStatus: 2 }],
    attributes: { transStatus: "transStatus" },
    idName: "transferId",
    sizes: [1_000, 1_000_000],
  },
];

/** A page request and its expected answer. */
export interface Page {
  readonly name: string;
  /** Whether its time is measured: some of each kind are. */
  readonly isTimed: boolean;
  readonly query: Readonly<Record<string, string>>;
  readonly total: number;
  /** What the page has to have, in order. */
  readonly entries: readonly Entry[];
}

/** Of which kind a page is, before its entries are known. */
export interface AskedPage {
  readonly orderBy: string;
  readonly isTimed: boolean;
  /** Of the list's filters, and of the spans. */
  readonly filterIndex: number;
  readonly spanIndex: number;
}

/** Every order in both directions, every filter, with and without a span, at three offsets. */
export function* pagesOf(
  list: List,
  { list: { kind }, entries }: Loaded,
  isAsked: (page: AskedPage) => boolean = () => true,
): Generator<Page> {
  const live = entries.summed(entries.rows());
  const times = Float64Array.from(live, (row) => entries.createdAt(row) / 1_000);
  const begin = times.reduce((least, time) => Math.min(least, time), Number.POSITIVE_INFINITY);
  const length = times.reduce((most, time) => Math.max(most, time), 0) - begin;
  const at = (part: number) => String(Math.floor(begin + length * part));
  const spans: Readonly<Record<string, string>>[] = [
    {},
    { after: at(0.37), before: at(0.81) },
    { before: at(0.013) },
  ];
  for (const [orderBy, order] of Object.entries(list.orders)) {
    let sorted: Int32Array | undefined;
    for (const [filterIndex, filter] of list.filters.entries()) {
      for (const [spanIndex, span] of spans.entries()) {
        const sorts = (["desc", "asc"] as const)
          .map((sort) => ({
            sort,
            isTimed: sort === "desc" && (filterIndex === 0 || spanIndex === 0),
          }))
          .filter(({ isTimed }) => isAsked({ orderBy, isTimed, filterIndex, spanIndex }));
        if (sorts.length === 0) continue;
        sorted ??= entries.sorted(live, order);
        const isMatch = matcher(list, kind, entries, filter, span);
        const matching = sorted.filter((row) => isMatch(row));
        for (const { sort, isTimed } of sorts) {
          const ordered = sort === "asc" ? matching : matching.toReversed();
          for (const [where, offset] of [
            ["first", 0],
            ["middle", Math.floor(ordered.length / 2)],
            ["last", Math.max(0, ordered.length - 50)],
          ] as const) {
            const asked = { orderBy, sort, ...texts(filter), ...span, offset: String(offset), limit: "50" };
            const rest = Object.entries({ ...filter, ...span }).map(([key]) => key);
            yield {
              isTimed,
              name: `${where} by ${orderBy} ${sort} ${JSON.stringify(filter)} ${rest.filter((key) => !(key in filter)).join()}`.trim(),
              query: asked,
              total: ordered.length,
              entries: [...ordered.subarray(offset, offset + 50)].map((row) => entries.at(row)),
            };
          }
        }
      }
    }
  }
}

function matcher(
  { attributes, except }: List,
  kind: ListKind,
  entries: ListedEntries,
  filter: Readonly<Record<string, number>>,
  { after = "-Infinity", before = "Infinity" }: { after?: string; before?: string },
): (row: number) => boolean {
  const indexOf = (attribute: string) => listAttributes(kind).indexOf(attribute);
  const equal = Object.entries(filter).map(
    ([name, value]) => [indexOf(attributes[name] ?? ""), value] as const,
  );
  const unequal = except && !(except[0] in filter) && ([indexOf(except[0]), except[1]] as const);
  return (row) =>
    entries.createdAt(row) > Number(after) * 1_000 &&
    entries.createdAt(row) < Number(before) * 1_000 &&
    equal.every(([index, value]) => entries.value(row, index) === value) &&
    (!unequal || entries.value(row, unequal[0]) !== unequal[1]);
}

function texts(filter: Readonly<Record<string, number>>): Record<string, string> {
  return Object.fromEntries(Object.entries(filter).map(([name, value]) => [name, String(value)]));
}
