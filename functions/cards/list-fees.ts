import type { Fee } from "../../shared/domain/transactions/fee.ts";
import { toFeeView } from "../../shared/domain/transactions/transaction-view.ts";
import { listPage } from "../../shared/lists/list-page.ts";
import type { CardOperations } from "./operations.ts";

/** Lists the fees that were charged on Cards, in minor units; all of them are posted, those that were given back included. */
export const listFees: CardOperations["GET /cards/fees"] = async ({ scope, query }) => {
  const { cardId, cardholderId, feeId, feeStatus, feeType } = query;
  const { items, total } = await listPage(
    {
      records: { programId: scope.programId, recorded: "fees", cardId, cardholderId, entityId: feeId },
      orders: {
        dateCreated: "createdAt",
        feeId: "entityId",
        feeType: "feeType",
        amount: "amountMinor",
      },
      filters: { transStatus: feeStatus, feeType },
    },
    query,
  );
  return { items: (items as unknown as Fee[]).map(toFeeView), total };
};
