import { listPage } from "../../shared/listing/list-page.ts";
import type { Fee } from "../../shared/transaction/fee.ts";
import { feeView } from "../../shared/transaction/fee-view.ts";
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
  return { items: (items as unknown as Fee[]).map(feeView), total };
};
