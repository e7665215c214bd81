import { givenWallet } from "../given-cards.ts";
import { and, called, type EndpointCases, newCard, type Preparation } from "./case.ts";

/** A card on which there is an open hold, a settled purchase and a fee. */
const used = (
  [
    ["POST /cards/{cardId}/bank-deposit", { amount: 10_000 }],
    ["POST /cards/{cardId}/authorizations", { amount: 1_200 }],
    ["POST /cards/{cardId}/force-post", { amount: 1_210 }],
    ["POST /cards/{cardId}/fees", { feeType: 2, amount: 300 }],
  ] as const
).reduce((before, [route, body]) => called(route, before, body), newCard);

/** A list of one used card's records. */
const listed =
  (query: Record<string, string>): Preparation =>
  async (program) => ({ query: { ...(await used(program)).path, ...query } });

const wallet: Preparation = async (program) => ({ path: { walletId: await givenWallet(program, 10_000) } });

/** The month of a used Card, or of a Wallet with money, in which it is requested. */
function month(of: Preparation): EndpointCases[keyof EndpointCases] {
  const ofPeriod =
    (period: () => string): Preparation =>
    async (program) => ({ path: { ...(await of(program)).path, period: period() } });
  const success = ofPeriod(() => new Date().toISOString().slice(0, 7));
  return [
    success,
    {
      VALIDATION_FAILED: and(success, { query: { format: "xls" } }),
      NOT_ACCEPTABLE: and(success, { headers: { Accept: "image/png" } }),
      NOT_FOUND: ofPeriod(() => "2020-01"),
    },
  ];
}

export const statementCases: EndpointCases = {
  "GET /cards/{cardId}/statements": used,
  "GET /cards/{cardId}/statements/{period}": month(used),
  "GET /wallets/{walletId}/statements": async (program) => ({
    path: { walletId: await givenWallet(program) },
  }),
  "GET /wallets/{walletId}/statements/{period}": month(wallet),
  "GET /cards/transactions": listed({ transStatus: "3", orderBy: "amount", sort: "asc", limit: "10" }),
  "GET /cards/fees": listed({ feeType: "2", feeStatus: "3", orderBy: "feeId", sort: "desc" }),
  "GET /cards/{cardId}/balance/proof": used,
  "GET /cards/{cardId}/hold-matching": [
    and(used, { query: { cycleDays: "7" } }),
    { VALIDATION_FAILED: and(used, { query: { cycleDays: "0" } }) },
  ],
};
