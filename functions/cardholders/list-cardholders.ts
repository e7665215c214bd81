import { type Cardholder, cardholderList, cardholders } from "../../shared/domain/cardholders/cardholder.ts";
import { listPage } from "../../shared/lists/list-page.ts";
import type { CardholderOperations } from "./operations.ts";

/** Includes deleted Cardholders. */
export const listCardholders: CardholderOperations["GET /cardholders"] = ({ scope, query }) =>
  listPage(
    {
      records: { list: { programId: scope.programId, kind: cardholderList } },
      orders: {
        cardholderId: "entityId",
        status: "status",
        lastName: "lastName",
        dateCreated: "createdAt",
      },
      filters: { status: query.status },
      view: (item) => toListItem(cardholders.parse(item)),
    },
    query,
  );

function toListItem({ entityId, status, firstName, lastName, createdAt }: Cardholder) {
  return { cardholderId: entityId, status, firstName, lastName, dateCreated: createdAt };
}
