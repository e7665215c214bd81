import { holdList, holds } from "../../shared/authorizations/holds/hold.ts";
import { readEvents } from "../../shared/authorizations/holds/named-events.ts";
import { type CardScope, chooseCardIds, findCardRecords } from "../../shared/cards/cards-of-cardholder.ts";
import { TransactionStatus, TransactionType } from "../../shared/contract/enums.ts";
import { aggregateTransId } from "../../shared/contract/transactions.ts";
import { accounts } from "../../shared/ledger/account.ts";
import { listPage, listTotal, type Records, seeLists } from "../../shared/lists/list-page.ts";
import { beginsSo } from "../../shared/lists/name-key.ts";
import { soughtAmount } from "../../shared/lists/sought.ts";
import { now, timestamp } from "../../shared/platform/clock.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { readBatch } from "../../shared/platform/table/batch.ts";
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

/**
 * Posted transactions and pending deposits; others only by a filter on status or type. One
 * aggregate line sums all open holds of the scope: first in every order, counted in the total.
 */
export const listTransactions: Operation = async ({ scope: { programId, currency }, query }) => {
  const { cardId, cardholderId, transId, authorizationId, transType, transStatus, mcc, offset, limit } =
    query;
  const cards = { programId, cardId, cardholderId };
  const showsAll = transStatus !== undefined || (transType !== undefined && unpostedTypes.has(transType));
  // Starts one row earlier: the aggregate line shifts all others by one.
  const start = Math.max(0, offset - 1);
  const hasAggregate = includesAggregate(query);
  const isOfProgram = cardId === undefined && cardholderId === undefined && authorizationId === undefined;
  const kinds = hasAggregate ? [transactionList, holdList] : [transactionList];
  const order = transId === undefined ? orders[query.orderBy] : "entityId";
  const [seen, openHolds] = isOfProgram ? await seeLists(programId, kinds, order) : [];
  const [heldMinor, { items, total }] = await Promise.all([
    hasAggregate ? (openHolds ? listTotal(openHolds) : sumOpenHolds(cards)) : 0,
    listPage(
      {
        records: seen
          ? { list: seen }
          : authorizationId === undefined
            ? findCardRecords(transactionList, cards, transId)
            : ofAuthorization(programId, authorizationId),
        orders,
        filters: {
          ...{ transType, transStatus, cardholderId, entityId: transId },
          ...(authorizationId !== undefined && { cardId }),
        },
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
  const aggregate = toAggregateView({
    cardId,
    cardholderId,
    amountMinor: heldMinor,
    currency,
    at: timestamp(),
  });
  const page = offset === 0 ? [aggregate, ...items] : items;
  return { items: page.slice(0, limit), total: total + 1 };
};

/** Those that are listed. */
async function ofAuthorization(programId: string, authorizationId: string): Promise<Records> {
  const hold = await holds.at(programId, authorizationId).get();
  const found = hold ? await readEvents(hold) : [];
  return { given: found.filter(({ entityId }) => entityId !== undefined) };
}

type Where = (transaction: Transaction) => boolean;

/** Undefined if nothing is asked that only the record has. */
function toWhere({ merchant, merchantId, referenceCode }: Query): Where | undefined {
  const exact = Object.entries({ merchantId, referenceCode }).filter(
    ([, wanted]) => wanted !== undefined,
  ) as [keyof Transaction, string][];
  const isNamed = merchant === undefined ? undefined : beginsSo(merchant);
  if (exact.length === 0 && !isNamed) return undefined;
  return (transaction) =>
    exact.every(([name, wanted]) => transaction[name] === wanted) &&
    (isNamed === undefined || isNamed([transaction.merchantName ?? ""]));
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

/** In minor units, of a Card or a Cardholder. A Card's holds count only for its own Cardholder. */
async function sumOpenHolds(scope: CardScope): Promise<number> {
  const { programId, cardholderId } = scope;
  const cardIds = (await chooseCardIds(scope)) ?? [];
  const stored = await readBatch(cardIds.map((id) => accounts.card.key(programId, id)));
  const counted = stored
    .filter((card) => cardholderId === undefined || card.cardholderId === cardholderId)
    .map((card) => accounts.card.parse(card));
  return counted.reduce((sum, { heldMinor, fundedHeldMinor = 0 }) => sum + heldMinor + fundedHeldMinor, 0);
}
