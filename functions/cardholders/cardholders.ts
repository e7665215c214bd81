import {
  type Cardholder,
  cardholderList,
  cardholders,
  getCardholder,
} from "../../shared/cardholders/cardholder.ts";
import { showCardholder } from "../../shared/cardholders/review.ts";
import { listPage } from "../../shared/lists/list-page.ts";
import type { Operations } from "../../shared/platform/http/request.ts";

/** Includes deleted Cardholders. */
export const listCardholders: Operations["GET /cardholders"] = ({ scope, query }) =>
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

/** Shows deleted Cardholders too. */
export const viewCardholder: Operations["GET /cardholders/{cardholderId}"] = async ({ scope, path }) =>
  showCardholder(scope.programId, await getCardholder(scope.programId, path.cardholderId));

/** Deprecated: every Card gets its deposit addresses at issuance. Registers nothing. */
export const registerWalletAddress: Operations["POST /cardholders/{cardholderId}/register-wallet-address"] =
  async ({ scope, path }) => {
    await getCardholder(scope.programId, path.cardholderId);
    return {};
  };
