import {
  type Cardholder,
  cardholderList,
  cardholders,
  emailKey,
  getCardholder,
  phoneKey,
} from "../../shared/cardholders/cardholder.ts";
import { showCardholder } from "../../shared/cardholders/review.ts";
import { soughtPerson } from "../../shared/cardholders/sought-person.ts";
import { listPage, type Records } from "../../shared/lists/list-page.ts";
import type { Sought } from "../../shared/lists/sought.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { findNamed } from "../../shared/platform/labels.ts";

/** Includes deleted Cardholders. */
export const listCardholders: Operations["GET /cardholders"] = ({ scope, query }) =>
  listPage(
    {
      records: findCardholders(scope.programId, query.externalId),
      orders: { cardholderId: "entityId" },
      sortKeys: cardholderList.sortKeys,
      filters: { status: query.status, ...(query.externalId && { externalId: query.externalId }) },
      sought: toSought(query),
      view: (item) => toListItem(cardholders.parse(item)),
    },
    query,
  );

async function findCardholders(programId: string, externalId: string | undefined): Promise<Records> {
  const named = await findNamed(programId, "cardholder", externalId, cardholders.key);
  return named ?? { list: { programId, kind: cardholderList } };
}

/** Emails and phones are whole values, which the list finds by their hash. */
function toSought({ email, phone, name }: Parameters<Operations["GET /cardholders"]>[0]["query"]): Sought[] {
  return [
    ...soughtPerson(name),
    ...(email === undefined ? [] : [[{ attribute: "email", is: emailKey(email) }]]),
    ...(phone === undefined ? [] : [[{ attribute: "phone", is: phoneKey(phone) }]]),
  ];
}

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
