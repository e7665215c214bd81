import {
  givenApprovedCardholder,
  givenCard,
  givenCardholder,
  givenWallet,
  shippingAddress,
} from "../given-cards.ts";
import { and, called, changing, created, type EndpointCases, newCard, type Preparation } from "./case.ts";

const deposit = { amount: 7_500, chain: "bitcoin", asset: "BTC", txHash: "f".repeat(64) };

const draft: Preparation = async (program) => ({ path: { cardholderId: await givenCardholder(program) } });
const emptyWallet: Preparation = async (program) => ({ path: { walletId: await givenWallet(program, 0) } });

const shipped = {
  body: { status: "shipped", trackingNumber: "00340434161094042557", carrier: "DHL" },
};

const physicalCard: Preparation = async (program) => ({
  path: { cardId: (await givenCard(program, { cardForm: 1, shippingAddress })).cardId },
});

const depositing = and(emptyWallet, { body: deposit });
const pendingDeposit = created("POST /wallets/{walletId}/deposits", depositing, "depositId");
const clearedDeposit = called("POST /deposits/{depositId}/clear", pendingDeposit);

const pendingTransfer: Preparation = async (program) => ({
  body: {
    sourceWalletId: await givenWallet(program, 5_000),
    destinationType: 0,
    destinationId: await givenWallet(program, 0),
    amount: 1_000,
    transStatus: 0,
  },
});

const transferToDecide: Preparation = async (program) => {
  const { body } = await program.call("POST /wallets/transfers", await pendingTransfer(program));
  const { sourceWalletId: walletId, transferId } = body.data;
  return { path: { walletId, transferId }, body: { transStatus: 1 } };
};

export const sandboxCases: EndpointCases = {
  "POST /cardholders/{cardholderId}/kyc-outcome": [
    and(called("POST /cardholders/{cardholderId}/submit", draft), { body: { status: 1 } }),
    {
      ILLEGAL_TRANSITION: async (program) => ({
        path: { cardholderId: await givenApprovedCardholder(program) },
        body: { status: 2 },
      }),
    },
  ],
  // It waits for the decision on its issuance.
  "POST /cards/{cardId}/approval": and(newCard, { body: { cardStatus: 1 } }),
  "POST /cards/{cardId}/shipping": [
    and(physicalCard, shipped),
    { ILLEGAL_TRANSITION: and(newCard, shipped) },
  ],
  "POST /cards/{cardId}/deposits": and(newCard, { body: deposit }),
  "POST /wallets/{walletId}/deposits": and(emptyWallet, { body: { ...deposit, pending: false } }),
  "POST /deposits": [
    async (program) => {
      const { cryptoAddresses } = await givenCard(program);
      const [bitcoin] = cryptoAddresses as { address: string }[];
      return { body: { ...deposit, address: bitcoin?.address } };
    },
    { NOT_FOUND: { body: { ...deposit, address: "1BitcoinEaterAddressDontSendf59kuE" } } },
  ],
  "POST /deposits/{depositId}/clear": pendingDeposit,
  "POST /deposits/{depositId}/reverse": [pendingDeposit, { ILLEGAL_TRANSITION: clearedDeposit }],
  "POST /deposits/{depositId}/return": clearedDeposit,
  "POST /cards/{cardId}/processing-errors": and(newCard, { body: { amount: 1_250, feeType: 5 } }),
  "POST /wallets/transfers": [
    pendingTransfer,
    { NOT_FOUND: changing(pendingTransfer, { destinationId: "wlt_01J9ZC3P2V8Q4N6T0B5W7XKD1M" }) },
  ],
  "POST /wallets/{walletId}/transfers/{transferId}/outcome": transferToDecide,
};
