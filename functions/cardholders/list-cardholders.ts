import { type Cardholder, cardholders } from "../../shared/domain/cardholders/cardholder.ts";
import { listPage } from "../../shared/lists/list-page.ts";
import type { CardholderOperations } from "./operations.ts";

/** Lists the Program's Cardholders, deleted ones included. */
export const listCardholders: CardholderOperations["GET /cardholders"] = async ({ scope, query }) => {
  const { items, total } = await listPage(
    {
      records: { programId: scope.programId, collection: "cardholders" },
      orders: {
        cardholderId: "entityId",
        status: "status",
        lastName: "lastName",
        dateCreated: "createdAt",
      },
      filters: { status: query.status },
    },
    query,
  );
  return { items: items.map((item) => toListItem(cardholders.parse(item))), total };
};

function toListItem({ entityId, status, firstName, lastName, createdAt }: Cardholder) {
  return { cardholderId: entityId, status, firstName, lastName, dateCreated: createdAt };
}
