import { ada, givenApprovedCardholder, givenCard, givenCardholder } from "../given-cards.ts";
import { type EndpointCases, externalIdTaken, type Preparation } from "./case.ts";

const draft: Preparation = async (program) => ({ path: { cardholderId: await givenCardholder(program) } });

const approved: Preparation = async (program) => ({
  path: { cardholderId: await givenApprovedCardholder(program) },
});

const deleted: Preparation = async (program) => {
  const request = await draft(program);
  await program.call("DELETE /cardholders/{cardholderId}", request);
  return request;
};

export const cardholderCases: readonly EndpointCases[] = [
  {
    route: "GET /cardholders",
    success: async (program) => {
      await givenCardholder(program);
      return {
        query: {
          status: "4",
          orderBy: "lastName",
          sort: "asc",
          after: "1700000000",
          limit: "20",
          offset: "0",
        },
      };
    },
  },
  {
    route: "POST /cardholders",
    success: async () => ({ body: ada }),
    refusals: {
      EXTERNAL_ID_EXISTS: externalIdTaken("POST /cardholders", async () => ({ body: ada })),
    },
  },
  { route: "GET /cardholders/{cardholderId}", success: draft },
  {
    route: "PUT /cardholders/{cardholderId}",
    success: async (program) => ({ ...(await draft(program)), body: { lastName: "King" } }),
    refusals: {
      VALIDATION_FAILED: async (program) => ({
        ...(await draft(program)),
        body: { lastName: "", phone: "0123", gender: 3 },
      }),
      EXTERNAL_ID_EXISTS: externalIdTaken("PUT /cardholders/{cardholderId}", draft),
      LOCKED_FIELDS: async (program) => ({ ...(await approved(program)), body: { lastName: "King" } }),
      ILLEGAL_TRANSITION: async (program) => ({ ...(await deleted(program)), body: { lastName: "King" } }),
    },
  },
  {
    route: "DELETE /cardholders/{cardholderId}",
    success: draft,
    refusals: {
      CARDS_NOT_CLOSED: async (program) => ({
        path: { cardholderId: (await givenCard(program)).cardholderId },
      }),
      ILLEGAL_TRANSITION: deleted,
    },
  },
  {
    route: "POST /cardholders/{cardholderId}/submit",
    success: async (program) => ({ ...(await draft(program)), body: {} }),
    refusals: {
      VALIDATION_FAILED: async (program) => ({ ...(await draft(program)), body: { kycToken: "" } }),
      ILLEGAL_TRANSITION: async (program) => ({ ...(await approved(program)), body: {} }),
    },
  },
  { route: "POST /cardholders/{cardholderId}/register-wallet-address", success: draft },
];
