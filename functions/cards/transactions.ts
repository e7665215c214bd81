import { TransactionStatus, TransactionType } from "../../shared/contract/enums.ts";
import { aggregateTransId } from "../../shared/contract/transactions.ts";
import {
  indexedPage,
  type Listing,
  listTotal,
  type Page,
  type PageQuery,
  seeLists,
} from "../../shared/lists/indexed-page.ts";
import type { ListKind } from "../../shared/lists/kind.ts";
import { beginsSo } from "../../shared/lists/search-key.ts";
import { soughtAmount } from "../../shared/lists/sought.ts";
import { now, timestamp } from "../../shared/platform/clock.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { type Transaction, transactionList } from "../../shared/transactions/transaction.ts";
import {
  toAggregateView,
  toTransactionView,
  unposted,
  unpostedTypes,
} from "../../shared/transactions/transaction-view.ts";

type Operation = Operations["GET /cards/transactions"];
type Query = Parameters<Operation>[0]["query"];

const orders: Readonly<Record<string, string>> = {
  transDate: "transDate",
  transId: "entityId",
  amount: "amountMinor",
  transType: "transType",
  transStatus: "transStatus",
};

/** Whose transactions are listed. */
export interface Source {
  page<R, V>(listing: Listing<R, V>, query: PageQuery): Promise<Page<V>>;
  /** The sum of their open holds, in minor units. */
  heldMinor(): Promise<number>;
}

export interface Sources {
  /** The list whose total is the sum of a Program's open holds. */
  readonly openHolds: ListKind;
  /** Where fewer are asked for than all of a Program's. */
  readonly chooseFew: (programId: string, query: Query) => Source | undefined;
}

/**
 * Posted transactions and pending deposits; others only by a filter on status or type. One
 * aggregate line sums all open holds of the scope: first in every order, counted in the total.
 */
export function listTransactions({ openHolds, chooseFew }: Sources): Operation {
  return async ({ scope: { programId, currency }, query }) => {
    const { cardId, cardholderId, transId, transType, transStatus, mcc, offset, limit } = query;
    const showsAll = transStatus !== undefined || (transType !== undefined && unpostedTypes.has(transType));
    // Starts one row earlier: the aggregate line shifts all others by one.
    const start = Math.max(0, offset - 1);
    const hasAggregate = includesAggregate(query);
    const order = transId === undefined ? orders[query.orderBy] : "entityId";
    const source =
      chooseFew(programId, query) ?? (await seeProgram(programId, order, hasAggregate && openHolds));
    const [heldMinor, { items, total }] = await Promise.all([
      hasAggregate ? source.heldMinor() : 0,
      source.page(
        {
          orders,
          filters: { transType, transStatus, cardId, cardholderId, entityId: transId },
          excluded: showsAll ? {} : unposted,
          sought: soughtAmount(query),
          whereCarried: mcc === undefined ? undefined : (known) => known.mcc === mcc,
          where: toWhere(query),
          view: toTransactionView,
        },
        { ...query, offset: start, limit: limit + 1 },
      ),
    ]);
    if (heldMinor === 0) return { items: items.slice(offset - start, offset - start + limit), total };
    const sum = { cardId, cardholderId, amount: heldMinor, currency, transDate: timestamp() };
    const page = offset === 0 ? [toAggregateView(sum), ...items] : items;
    return { items: page.slice(0, limit), total: total + 1 };
  };
}

/** What the two lists of a page wait for is read once. */
async function seeProgram(
  programId: string,
  order: string | undefined,
  openHolds: ListKind | false,
): Promise<Source> {
  const others = openHolds ? [openHolds] : [];
  const [list, held] = await seeLists(programId, [transactionList, ...others], order);
  return {
    page: (listing, query) => indexedPage(list, listing, query),
    heldMinor: async () => (held ? listTotal(held) : 0),
  };
}

/** Undefined if nothing is asked that only the record has. */
function toWhere({ merchant, merchantId, referenceCode }: Query) {
  if ([merchant, merchantId, referenceCode].every((one) => one === undefined)) return undefined;
  const isNamed = merchant === undefined ? () => true : beginsSo(merchant);
  return (transaction: Transaction) =>
    (merchantId === undefined || transaction.merchantId === merchantId) &&
    (referenceCode === undefined || transaction.referenceCode === referenceCode) &&
    isNamed([transaction.merchantName ?? ""]);
}

/** The line is of the moment of the request: a time span without it excludes the line. */
function includesAggregate(query: Query): boolean {
  const { transId, authorizationId, transType, transStatus, before, after, amountFrom, amountTo, mcc } =
    query;
  const excluding = [authorizationId, amountFrom, amountTo, mcc, toWhere(query)];
  if (excluding.some((one) => one !== undefined)) return false;
  const seconds = now().getTime() / 1000;
  return (
    (transId === undefined || transId === aggregateTransId) &&
    (transType === undefined || transType === TransactionType.authorization) &&
    (transStatus === undefined || transStatus === TransactionStatus.pending) &&
    (before === undefined || seconds < before) &&
    (after === undefined || seconds > after)
  );
}
