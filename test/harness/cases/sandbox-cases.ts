import {
  type GivenProgram,
  givenApprovedCardholder,
  givenCard,
  givenCardholder,
  givenWallet,
  shippingAddress,
} from "../given-cards.ts";
import { type EndpointCases, externalIdTaken, type Preparation } from "./case.ts";

const deposit = { amount: 7_500, chain: "bitcoin", asset: "BTC", txHash: "f".repeat(64) };

const underReview: Preparation = async (program) => {
  const cardholderId = await givenCardholder(program);
  await program.call("POST /cardholders/{cardholderId}/submit", { path: { cardholderId } });
  return { path: { cardholderId } };
};

/** A card that waits for the decision on its issuance. */
const awaiting: Preparation = async (program) => ({
  path: { cardId: (await givenCard(program)).cardId },
  body: { cardStatus: 1 },
});

const shipped = { status: "shipped", trackingNumber: "00340434161094042557", carrier: "DHL" };

const physicalCard: Preparation = async (program) => ({
  path: { cardId: (await givenCard(program, { cardForm: 1, shippingAddress })).cardId },
});

const pendingDeposit: Preparation = async (program) => {
  const walletId = await givenWallet(program, 0);
  const { body } = await program.call("POST /wallets/{walletId}/deposits", {
    path: { walletId },
    body: deposit,
  });
  return { path: { depositId: body.data.depositId as string } };
};

const clearedDeposit: Preparation = async (program) => {
  const request = await pendingDeposit(program);
  await program.call("POST /deposits/{depositId}/clear", request);
  return request;
};

const returnedDeposit: Preparation = async (program) => {
  const request = await clearedDeposit(program);
  await program.call("POST /deposits/{depositId}/return", request);
  return request;
};

const pendingTransfer = async (program: GivenProgram) => ({
  sourceWalletId: await givenWallet(program, 5_000),
  destinationType: 0,
  destinationId: await givenWallet(program, 0),
  amount: 1_000,
  transStatus: 0,
});

const transferToDecide: Preparation = async (program) => {
  const { body } = await program.call("POST /wallets/transfers", { body: await pendingTransfer(program) });
  const { sourceWalletId: walletId, transferId } = body.data;
  return { path: { walletId, transferId }, body: { transStatus: 1 } };
};

export const sandboxCases: readonly EndpointCases[] = [
  {
    route: "POST /cardholders/{cardholderId}/kyc-outcome",
    success: async (program) => ({ ...(await underReview(program)), body: { status: 1 } }),
    refusals: {
      ILLEGAL_TRANSITION: async (program) => ({
        path: { cardholderId: await givenApprovedCardholder(program) },
        body: { status: 2 },
      }),
    },
  },
  {
    route: "POST /cards/{cardId}/approval",
    manualIssuance: true,
    success: awaiting,
    refusals: {
      ILLEGAL_TRANSITION: async (program) => {
        const request = await awaiting(program);
        await program.call("POST /cards/{cardId}/approval", request);
        return request;
      },
    },
  },
  {
    route: "POST /cards/{cardId}/shipping",
    success: async (program) => ({ ...(await physicalCard(program)), body: shipped }),
    refusals: {
      ILLEGAL_TRANSITION: async (program) => ({
        path: { cardId: (await givenCard(program)).cardId },
        body: shipped,
      }),
    },
  },
  {
    route: "POST /cards/{cardId}/deposits",
    success: async (program) => ({ path: { cardId: (await givenCard(program)).cardId }, body: deposit }),
  },
  {
    route: "POST /wallets/{walletId}/deposits",
    success: async (program) => ({
      path: { walletId: await givenWallet(program, 0) },
      body: { ...deposit, pending: false },
    }),
  },
  {
    route: "POST /deposits",
    success: async (program) => {
      const { cryptoAddresses } = await givenCard(program);
      const [bitcoin] = cryptoAddresses as { address: string }[];
      return { body: { ...deposit, address: bitcoin?.address } };
    },
    refusals: {
      NOT_FOUND: async () => ({
        body: { ...deposit, address: "1BitcoinEaterAddressDontSendf59kuE" },
      }),
    },
  },
  {
    route: "POST /deposits/{depositId}/clear",
    success: pendingDeposit,
    refusals: { ILLEGAL_TRANSITION: clearedDeposit },
  },
  {
    route: "POST /deposits/{depositId}/reverse",
    success: pendingDeposit,
    refusals: { ILLEGAL_TRANSITION: clearedDeposit },
  },
  {
    route: "POST /deposits/{depositId}/return",
    success: clearedDeposit,
    refusals: { ILLEGAL_TRANSITION: returnedDeposit },
  },
  {
    route: "POST /cards/{cardId}/processing-errors",
    success: async (program) => ({
      path: { cardId: (await givenCard(program)).cardId },
      body: { amount: 1_250, feeType: 5 },
    }),
  },
  {
    route: "POST /wallets/transfers",
    success: async (program) => ({ body: await pendingTransfer(program) }),
    refusals: {
      NOT_FOUND: async (program) => ({
        body: { ...(await pendingTransfer(program)), destinationId: "wlt_01J9ZC3P2V8Q4N6T0B5W7XKD1M" },
      }),
      EXTERNAL_ID_EXISTS: externalIdTaken("POST /wallets/transfers", async (program) => ({
        body: await pendingTransfer(program),
      })),
    },
  },
  {
    route: "POST /wallets/{walletId}/transfers/{transferId}/outcome",
    success: (program) => transferToDecide(program),
    refusals: {
      ILLEGAL_TRANSITION: async (program) => {
        const request = await transferToDecide(program);
        await program.call("POST /wallets/{walletId}/transfers/{transferId}/outcome", request);
        return request;
      },
    },
  },
];
