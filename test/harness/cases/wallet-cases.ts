import { givenCard, givenWallet } from "../given-cards.ts";
import {
  after,
  and,
  called,
  created,
  type EndpointCases,
  externalIdTaken,
  type Preparation,
  unknownId,
} from "./case.ts";

const funded: Preparation = async (program) => ({ path: { walletId: await givenWallet(program, 10_000) } });

const bankDeposit = "POST /wallets/{walletId}/bank-deposit";
const depositing = and(funded, { body: { amount: 5_000, reference: "INV-8" } });
const deposited = created(bankDeposit, depositing, "depositId");

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

const transferred = created("POST /wallets/transfer", toCard, "transferId");

export const walletCases: EndpointCases = {
  "GET /wallets": after(funded, {}),
  "POST /wallets": { body: { name: "Operations" } },
  "GET /wallets/{walletId}": funded,
  "PUT /wallets/{walletId}": [
    and(funded, { body: { name: "Travel", externalId: "wallet-7", metadata: { costCentre: "4711" } } }),
    { EXTERNAL_ID_EXISTS: externalIdTaken(funded) },
  ],
  "GET /wallets/search": after(funded, { query: { name: "w", orderBy: "name", sort: "asc" } }),
  "GET /transfers": async (program) => {
    const { body } = await program.call("GET /transfers/{transferId}", await transferred(program));
    return { query: { destinationId: body.data.destinationId, amountFrom: "2000", sort: "asc" } };
  },
  "GET /transfers/{transferId}": transferred,
  "PUT /transfers/{transferId}": [
    and(transferred, { body: { externalId: "payout-7", metadata: { costCentre: "4711" } } }),
    { EXTERNAL_ID_EXISTS: externalIdTaken(transferred) },
  ],
  "GET /wallets/{walletId}/transfers": async (program) => {
    const { body } = await called("POST /wallets/transfer", toCard)(program);
    const { sourceWalletId } = body as { sourceWalletId: string };
    const query = { transStatus: "1", orderBy: "amount", sort: "desc" };
    return { path: { walletId: sourceWalletId }, query };
  },
  "GET /wallets/{walletId}/transactions": and(funded, {
    query: { type: "deposit", orderBy: "amount", sort: "desc" },
  }),
  "GET /deposits": async (program) => ({
    query: { ...(await funded(program)).path, status: "1", channel: "bank" },
  }),
  "GET /deposits/{depositId}": deposited,
  "POST /wallets/transfer": [
    toCard,
    {
      NOT_FOUND: async (program) => ({
        body: {
          sourceWalletId: await givenWallet(program, 10_000),
          destinationType: 0,
          destinationId: unknownId("wlt"),
          amount: 1,
        },
      }),
    },
  ],
  [bankDeposit]: depositing,
  "POST /deposits/{depositId}/cancel": [announced, { ILLEGAL_TRANSITION: deposited }],
  "GET /wallets/{walletId}/balance/proof": funded,
  "POST /wallets/{walletId}/deposit": funded,
};
