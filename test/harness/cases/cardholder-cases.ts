import { ada, givenApprovedCardholder, givenCard, givenCardholder } from "../given-cards.ts";
import { after, and, called, type EndpointCases, externalIdTaken, type Preparation } from "./case.ts";

const draft: Preparation = async (program) => ({ path: { cardholderId: await givenCardholder(program) } });

const approved: Preparation = async (program) => ({
  path: { cardholderId: await givenApprovedCardholder(program) },
});

const king = { body: { lastName: "King" } };

export const cardholderCases: EndpointCases = {
  "GET /cardholders": after(draft, {
    query: {
      ...{ status: "4", orderBy: "lastName", sort: "asc" },
      ...{ after: "1700000000", limit: "20", offset: "0" },
    },
  }),
  "POST /cardholders": { body: ada },
  "GET /cardholders/{cardholderId}": draft,
  "PUT /cardholders/{cardholderId}": [
    and(draft, king),
    {
      VALIDATION_FAILED: and(draft, { body: { lastName: "", phone: "0123", gender: 3 } }),
      EXTERNAL_ID_EXISTS: externalIdTaken(draft),
      LOCKED_FIELDS: and(approved, king),
      ILLEGAL_TRANSITION: and(called("DELETE /cardholders/{cardholderId}", draft), king),
    },
  ],
  "DELETE /cardholders/{cardholderId}": [
    draft,
    {
      CARDS_NOT_CLOSED: async (program) => ({
        path: { cardholderId: (await givenCard(program)).cardholderId },
      }),
    },
  ],
  "POST /cardholders/{cardholderId}/submit": [
    and(draft, { body: {} }),
    {
      VALIDATION_FAILED: and(draft, { body: { kycToken: "" } }),
      ILLEGAL_TRANSITION: and(approved, { body: {} }),
    },
  ],
  "POST /cardholders/{cardholderId}/register-wallet-address": draft,
};
