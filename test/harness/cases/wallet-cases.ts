import { givenCard, givenWallet } from "../given-cards.ts";
import { type EndpointCases, externalIdTaken, type Preparation, unknownId } from "./case.ts";

const funded: Preparation = async (program) => ({ path: { walletId: await givenWallet(program, 10_000) } });

const deposited: Preparation = async (program) => {
  const { path = {} } = await funded(program);
  const body = { amount: 5_000, reference: "INV-8" };
  const answer = await program.call("POST /wallets/{walletId}/bank-deposit", { path, body });
  return { path: { depositId: answer.body.data.depositId } };
};

/** Pending: the simulated bank takes a minute, for this deposit alone. */
const announced: Preparation = async (program) => {
  const { programId } = program;
  await program.operate("set-clearing-delay", { programId, seconds: 60 });
  const request = await deposited(program);
  await program.operate("set-clearing-delay", { programId, seconds: 0 });
  return request;
};

const toCard: Preparation = async (program) => ({
  body: {
    sourceWalletId: await givenWallet(program, 10_000),
    destinationType: 1,
    destinationId: (await givenCard(program)).cardId,
    amount: 2_500,
    memo: "Lunch",
  },
});

const transferred: Preparation = async (program) => {
  const answer = await program.call("POST /wallets/transfer", await toCard(program));
  return { path: { transferId: answer.body.data.transferId } };
};

export const walletCases: readonly EndpointCases[] = [
  {
    route: "GET /wallets",
    success: async (program) => {
      await givenWallet(program, 10_000);
      return {};
    },
  },
  {
    route: "POST /wallets",
    success: async () => ({ body: { name: "Operations" } }),
    refusals: {
      EXTERNAL_ID_EXISTS: externalIdTaken("POST /wallets", async () => ({ body: { name: "Operations" } })),
    },
  },
  { route: "GET /wallets/{walletId}", success: funded },
  {
    route: "PUT /wallets/{walletId}",
    success: async (program) => ({
      ...(await funded(program)),
      body: { name: "Travel", externalId: "wallet-7", metadata: { costCentre: "4711" } },
    }),
    refusals: { EXTERNAL_ID_EXISTS: externalIdTaken("PUT /wallets/{walletId}", funded) },
  },
  {
    route: "GET /wallets/search",
    success: async (program) => {
      await funded(program);
      return { query: { name: "w", orderBy: "name", sort: "asc" } };
    },
  },
  {
    route: "GET /transfers",
    success: async (program) => {
      const { path } = await transferred(program);
      const { body } = await program.call("GET /transfers/{transferId}", { path } as never);
      return { query: { destinationId: body.data.destinationId, amountFrom: "2000", sort: "asc" } };
    },
  },
  { route: "GET /transfers/{transferId}", success: transferred },
  {
    route: "PUT /transfers/{transferId}",
    success: async (program) => ({
      ...(await transferred(program)),
      body: { externalId: "payout-7", metadata: { costCentre: "4711" } },
    }),
    refusals: { EXTERNAL_ID_EXISTS: externalIdTaken("PUT /transfers/{transferId}", transferred) },
  },
  {
    route: "GET /wallets/{walletId}/transfers",
    success: async (program) => {
      const { body } = await toCard(program);
      await program.call("POST /wallets/transfer", { body });
      const { sourceWalletId } = body as { sourceWalletId: string };
      return {
        path: { walletId: sourceWalletId },
        query: { transStatus: "1", orderBy: "amount", sort: "desc" },
      };
    },
  },
  {
    route: "GET /wallets/{walletId}/transactions",
    success: async (program) => ({
      ...(await funded(program)),
      query: { type: "deposit", orderBy: "amount", sort: "desc" },
    }),
  },
  {
    route: "GET /deposits",
    success: async (program) => ({
      query: { walletId: await givenWallet(program, 10_000), status: "1", channel: "bank" },
    }),
  },
  { route: "GET /deposits/{depositId}", success: deposited },
  {
    route: "POST /wallets/transfer",
    success: toCard,
    refusals: {
      NOT_FOUND: async (program) => ({
        body: {
          sourceWalletId: await givenWallet(program, 10_000),
          destinationType: 0,
          destinationId: unknownId("wlt"),
          amount: 1,
        },
      }),
      EXTERNAL_ID_EXISTS: externalIdTaken("POST /wallets/transfer", toCard),
    },
  },
  {
    route: "POST /wallets/{walletId}/bank-deposit",
    success: async (program) => ({ ...(await funded(program)), body: { amount: 5_000, reference: "INV-8" } }),
  },
  {
    route: "POST /deposits/{depositId}/cancel",
    success: announced,
    refusals: { ILLEGAL_TRANSITION: deposited },
  },
  { route: "GET /wallets/{walletId}/balance/proof", success: funded },
  { route: "POST /wallets/{walletId}/deposit", success: funded },
];
