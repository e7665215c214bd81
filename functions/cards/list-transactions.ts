import { TransactionStatus, TransactionType } from "../../shared/contract/enums.ts";
import { aggregateTransId } from "../../shared/contract/transactions.ts";
import { openHoldsMinor } from "../../shared/domain/holds/open-holds.ts";
import type { Transaction } from "../../shared/domain/transactions/transaction.ts";
import { toAggregateView, toTransactionView } from "../../shared/domain/transactions/transaction-view.ts";
import { listPage } from "../../shared/lists/list-page.ts";
import type { Listing } from "../../shared/lists/listing.ts";
import { timestamp } from "../../shared/platform/clock.ts";
import type { CardOperations } from "./operations.ts";

type Operation = CardOperations["GET /cards/transactions"];
type Request = Parameters<Operation>[0];

/**
 * Lists what is posted on Cards and the deposits that are pending, in minor units; declines only where their status or type is asked for. All
 * open holds in the filter's scope are one aggregate line, which stands first in every order and is counted in the total.
 */
export const listTransactions: Operation = async (request) => {
  const { scope, query } = request;
  const { cardId, cardholderId, offset, limit } = query;
  // One row more than the page, before it: the aggregate line pushes all others back by one.
  const start = Math.max(0, offset - 1);
  const [heldMinor, { items, total }] = await Promise.all([
    includesAggregate(query) ? openHoldsMinor({ programId: scope.programId, cardId, cardholderId }) : 0,
    listPage(listingOf(request), { ...query, offset: start, limit: limit + 1 }),
  ]);
  const rows = (items as unknown as Transaction[]).map(toTransactionView);
  if (heldMinor === 0) return { items: rows.slice(offset - start, offset - start + limit), total };
  const { currency } = scope;
  const aggregate = toAggregateView({
    cardId,
    cardholderId,
    amountMinor: heldMinor,
    currency,
    at: timestamp(),
  });
  const page = offset === 0 ? [aggregate, ...rows] : rows;
  return { items: page.slice(0, limit), total: total + 1 };
};

/** The line has a type and a status like any other, but no time of creation: a span leaves it out. */
function includesAggregate({ transId, transType, transStatus, before, after }: Request["query"]): boolean {
  return (
    (transId === undefined || transId === aggregateTransId) &&
    (transType === undefined || transType === TransactionType.authorization) &&
    (transStatus === undefined || transStatus === TransactionStatus.pending) &&
    before === undefined &&
    after === undefined
  );
}

function listingOf({ scope, query }: Request): Listing {
  const { cardId, cardholderId, transId, transType, transStatus } = query;
  return {
    records: {
      programId: scope.programId,
      recorded: "transactions",
      cardId,
      cardholderId,
      entityId: transId,
    },
    orders: {
      transDate: "transDate",
      transId: "entityId",
      amount: "amountMinor",
      transType: "transType",
      transStatus: "transStatus",
    },
    filters: { transType, transStatus },
    ...(transStatus === undefined &&
      transType !== TransactionType.authorization_declined && {
        except: { transStatus: TransactionStatus.declined },
      }),
  };
}
