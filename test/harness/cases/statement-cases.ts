import { type GivenProgram, givenCard, givenWallet } from "../given-cards.ts";
import type { EndpointCases, Preparation } from "./case.ts";

/** A card on which there is an open hold, a settled purchase and a fee. */
const used: Preparation = async (program) => {
  const path = { cardId: (await givenCard(program)).cardId };
  await program.call("POST /cards/{cardId}/bank-deposit", { path, body: { amount: 10_000 } });
  await program.call("POST /cards/{cardId}/authorizations", { path, body: { amount: 1_200 } });
  await program.call("POST /cards/{cardId}/force-post", { path, body: { amount: 1_210 } });
  await program.call("POST /cards/{cardId}/fees", { path, body: { feeType: 2, amount: 300 } });
  return { path };
};

/** A list of one used card's records. */
const listed =
  (query: Record<string, string>): Preparation =>
  async (program) => ({ query: { ...(await used(program)).path, ...query } });

/** The month of a used Card, or of a Wallet with money, in which it is requested. */
const month =
  (kind: "card" | "wallet"): Preparation =>
  async (program) => {
    const path =
      kind === "card" ? (await used(program)).path : { walletId: await givenWallet(program, 10_000) };
    return { path: { ...path, period: new Date().toISOString().slice(0, 7) } };
  };
const monthOfCard = month("card");
const monthOfWallet = month("wallet");

const statementRefusals = (prepare: Preparation) => ({
  VALIDATION_FAILED: async (program: GivenProgram) => ({
    ...(await prepare(program)),
    query: { format: "xls" },
  }),
  NOT_ACCEPTABLE: async (program: GivenProgram) => ({
    ...(await prepare(program)),
    headers: { Accept: "image/png" },
  }),
  NOT_FOUND: async (program: GivenProgram) => {
    const { path, ...request } = await prepare(program);
    return { ...request, path: { ...path, period: "2020-01" } };
  },
});

export const statementCases: readonly EndpointCases[] = [
  { route: "GET /cards/{cardId}/statements", success: used },
  {
    route: "GET /cards/{cardId}/statements/{period}",
    success: monthOfCard,
    refusals: statementRefusals(monthOfCard),
  },
  {
    route: "GET /wallets/{walletId}/statements",
    success: async (program) => ({ path: { walletId: await givenWallet(program) } }),
  },
  {
    route: "GET /wallets/{walletId}/statements/{period}",
    success: monthOfWallet,
    refusals: statementRefusals(monthOfWallet),
  },
  {
    route: "GET /cards/transactions",
    success: listed({ transStatus: "3", orderBy: "amount", sort: "asc", limit: "10" }),
  },
  {
    route: "GET /cards/fees",
    success: listed({ feeType: "2", feeStatus: "3", orderBy: "feeId", sort: "desc" }),
  },
  { route: "GET /cards/{cardId}/balance/proof", success: used },
  {
    route: "GET /cards/{cardId}/hold-matching",
    success: async (program) => ({ ...(await used(program)), query: { cycleDays: "7" } }),
    refusals: {
      VALIDATION_FAILED: async (program) => ({ ...(await used(program)), query: { cycleDays: "0" } }),
    },
  },
];
