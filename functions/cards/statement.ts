import { findCardRecords } from "../../shared/cards/cards-of-cardholder.ts";
import { listPage } from "../../shared/lists/list-page.ts";
import { soughtAmount } from "../../shared/lists/sought.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { proveBalances } from "../../shared/proofs/prove-balances.ts";
import { feeList } from "../../shared/transactions/fee.ts";
import { toFeeView, uncharged } from "../../shared/transactions/fee-rules.ts";

/** Posted fees, refunded ones included; those that ended in an error only by their status. */
export const listFees: Operations["GET /cards/fees"] = ({ scope, query }) => {
  const { cardId, cardholderId, feeId, feeStatus, feeType } = query;
  return listPage(
    {
      records: findCardRecords(feeList, { programId: scope.programId, cardId, cardholderId }, feeId, "fee"),
      orders: { feeId: "entityId", amount: "amountMinor" },
      excluded: feeStatus === undefined ? uncharged : {},
      filters: { transStatus: feeStatus, feeType, cardholderId, entityId: feeId },
      sought: soughtAmount(query),
      view: toFeeView,
    },
    query,
  );
};

export const proveBalance: Operations["GET /cards/{cardId}/balance/proof"] = async ({
  scope: { programId },
  path: { cardId },
}) => ({ cardId, ...(await proveBalances(programId, { kind: "card", accountId: cardId })) });
