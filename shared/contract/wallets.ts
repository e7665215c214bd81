import * as z from "zod";
import { Balances, BankDeposit, BankDepositResponse, WalletBalanceProof } from "./balances.ts";
import { Currency, DepositStatus, DestinationType, TransferStatus } from "./enums.ts";
import {
  amount,
  besideOtherFaults,
  creditorReference,
  DeprecatedAnswer,
  depositReference,
  externalId,
  id,
  integerEnum,
  labelChanges,
  labels,
  listQuery,
  memo,
  positiveAmount,
  prose,
  queryEnum,
  ranges,
  text,
  timestamp,
} from "./primitives.ts";
import { routesWith } from "./route.ts";

const walletName = prose(100);
export const WalletCreate = z.object({ name: walletName, ...labels });

/** Omitted fields stay unchanged. */
export const WalletUpdate = z.object({ name: walletName.optional(), ...labelChanges });

export const WalletView = Balances.extend({
  walletId: id("wallet"),
  name: z.string(),
  walletCurrencyId: integerEnum(Currency),
  creditorReference: creditorReference.optional(),
  ...labels,
  dateCreated: timestamp,
});
export type WalletView = z.output<typeof WalletView>;

export const walletSearchQuery = listQuery(["dateCreated", "walletId", "name"], {
  externalId: externalId.optional(),
  /** How the name begins, whatever its case and accents. */
  name: text(100).optional(),
});

/** Without metadata. */
export const WalletListItem = WalletView.omit({ metadata: true });

export const TransferCreate = z
  .object({
    sourceWalletId: text(64),
    /** 0: `destinationId` is a walletId. 1: it is a cardId. */
    destinationType: integerEnum(DestinationType),
    destinationId: text(64),
    amount: positiveAmount,
    /** If less than `amount` is available, transfers that and returns 3 Partial. */
    allowPartial: z.boolean().default(false),
    memo: memo.optional(),
    ...labels,
  })
  .refine(
    ({ destinationType, sourceWalletId, destinationId }) =>
      destinationType !== DestinationType.wallet ||
      sourceWalletId === undefined ||
      sourceWalletId !== destinationId,
    {
      path: ["destinationId"],
      message: "must differ from sourceWalletId",
      when: besideOtherFaults,
    },
  );
export type TransferCreate = z.output<typeof TransferCreate>;

export const TransferDeclineReason = z.enum([
  "INSUFFICIENT_FUNDS",
  "CARD_CLOSED",
  "CARD_NOT_ACTIVATED",
  "CARD_PENDING",
  /** The Card spends from a Wallet: it cannot be loaded. */
  "CARD_FUNDED_BY_WALLET",
]);
export type TransferDeclineReason = z.output<typeof TransferDeclineReason>;

const transferFields = z.object({
  transferId: id("transfer"),
  transStatus: integerEnum(TransferStatus),
  destinationType: integerEnum(DestinationType),
  destinationId: z.string(),
  requestedAmount: amount,
  transferredAmount: amount,
  currency: integerEnum(Currency),
  declineReason: TransferDeclineReason.optional(),
  memo: memo.optional(),
  externalId: externalId.optional(),
  /** The platform moved it by itself, since a Card fell below its threshold. */
  automatic: z.literal(true).optional(),
  dateCreated: timestamp,
});

const withLabels = transferFields.extend(labels);
export const TransferResponse = withLabels.extend({ sourceWalletId: z.string() });

export const CardUnload = z.object({
  walletId: text(64),
  amount: positiveAmount,
  memo: memo.optional(),
  ...labels,
});

/** A transfer from a Card. */
export const CardUnloadResponse = withLabels.extend({ sourceCardId: id("card") });

/** A transfer from a Wallet or from a Card. */
export const TransferListItem = transferFields.extend({
  sourceWalletId: z.string().optional(),
  sourceCardId: id("card").optional(),
});
export type TransferListItem = z.output<typeof TransferListItem>;

/** A transfer with its metadata. */
export const TransferView = TransferListItem.extend({ metadata: labels.metadata });

/** Omitted fields stay unchanged. */
export const TransferUpdate = z.object(labelChanges);

export const programTransferListQuery = listQuery(["transferId", "dateCreated", "amount"], {
  sourceWalletId: text(64).optional(),
  sourceCardId: text(64).optional(),
  destinationId: text(64).optional(),
  transStatus: queryEnum(TransferStatus).optional(),
  ...ranges,
  externalId: externalId.optional(),
});

export const transferListQuery = listQuery(["transferId", "dateCreated", "amount"], {
  transStatus: queryEnum(TransferStatus).optional(),
  ...ranges,
  externalId: externalId.optional(),
});

/** A pending deposit is already a `deposit`. */
export const WalletTransactionType = z.enum([
  "deposit",
  "deposit_reversal",
  "deposit_return",
  "transfer_in",
  "transfer_out",
  "card_sweep",
  "card_unload",
  "payout",
  "payout_fee",
  "payout_return",
  "pull",
  "pull_return",
  "top_up",
  "purchase",
  "refund",
  "refund_reversal",
  "cash",
  "fee",
  "fee_reversal",
  "dispute",
]);
export type WalletTransactionType = z.output<typeof WalletTransactionType>;

/** A change of the Wallet's `ledgerBalance`, which is the sum of all amounts. */
export const WalletTransactionView = z.object({
  walletTransactionId: id("walletTransaction"),
  type: WalletTransactionType,
  /** Positive for incoming money. */
  amount,
  /** The id of the deposit, transfer, transaction, fee or Card behind it. */
  relatedId: z.string(),
  /** The Card that spends from the Wallet, and whose event it is. */
  cardId: id("card").optional(),
  description: z.string().optional(),
  dateCreated: timestamp,
});

export const walletTransactionListQuery = listQuery(
  ["dateCreated", "walletTransactionId", "amount", "type"],
  {
    type: WalletTransactionType.optional(),
    /** The Card that spends from the Wallet. */
    cardId: text(64).optional(),
  },
);

const route = routesWith({ api: "platform", function: "wallets" });

export const walletRoutes = [
  route("GET /wallets", "read listWallets", "List all Wallets of the Program", {
    items: WalletListItem,
    inPages: "GET /wallets/search",
  }),
  route("POST /wallets", "write createWallet", "Create a Wallet", {
    creates: true,
    body: WalletCreate,
    data: WalletView,
  }),
  route("GET /wallets/{walletId}", "read viewWallet", "View a Wallet", { data: WalletView }),
  route(
    "PUT /wallets/{walletId}",
    "write updateWallet",
    "Change a Wallet's name, and what the caller has noted of it",
    { body: WalletUpdate, data: WalletView },
  ),
  route(
    "GET /wallets/{walletId}/balance/proof",
    "read proveBalance",
    "Prove a Wallet's balances from its journal",
    { data: WalletBalanceProof },
  ),
  route(
    "GET /wallets/{walletId}/transfers",
    "read listTransfers",
    "List the transfers from and to a Wallet",
    { query: transferListQuery, items: TransferListItem },
  ),
  route(
    "GET /wallets/{walletId}/transactions",
    "read listWalletTransactions",
    "List a Wallet's transactions",
    { query: walletTransactionListQuery, items: WalletTransactionView },
  ),
  route("POST /wallets/transfer", "money transfer", "Transfer from a Wallet to a Wallet or a Card", {
    body: TransferCreate,
    data: TransferResponse,
    errors: ["NOT_FOUND"],
    movesFunds: true,
  }),
  route(
    "POST /wallets/{walletId}/bank-deposit",
    "money depositInWallet",
    "Deposit in a Wallet from a bank account",
    { body: BankDeposit, data: BankDepositResponse, movesFunds: true },
  ),
  route(
    "POST /wallets/{walletId}/deposit",
    "money notifyDeposit",
    "Notify a blockchain deposit (deprecated: deposits need no notification)",
    { data: DeprecatedAnswer, deprecated: "2026-01-01" },
  ),
] as const;

export const transferRoutes = [
  route("GET /wallets/search", "read searchWallets", "Search the Wallets of the Program", {
    query: walletSearchQuery,
    items: WalletListItem,
  }),
  route("GET /transfers", "read listAllTransfers", "List the transfers from and to all Wallets", {
    query: programTransferListQuery,
    items: TransferListItem,
  }),
  route("GET /transfers/{transferId}", "read viewTransfer", "View a transfer", {
    data: TransferView,
  }),
  route(
    "PUT /transfers/{transferId}",
    "write updateTransfer",
    "Change what the caller has named and noted of a transfer",
    { body: TransferUpdate, data: TransferView },
  ),
] as const;

export const DepositChannel = z.enum(["bank", "crypto"]);

export const DepositView = z.object({
  depositId: z.string(),
  /** Only a deposit in a Wallet has it. */
  walletId: z.string().optional(),
  cardId: id("card").optional(),
  channel: DepositChannel,
  amount,
  currency: integerEnum(Currency),
  /** 0 Pending, 1 Cleared, 2 Reversed (before it cleared), 3 Returned (after it cleared). */
  status: integerEnum(DepositStatus),
  reference: memo.optional(),
  dateCreated: timestamp,
  /** When it was cleared or reversed. A return does not change it. */
  dateSettled: timestamp.optional(),
  /** Until when a bank's report is about a deposit that was announced with `bank-deposit`. */
  expiresAt: timestamp.optional(),
  /** In minor units: what was announced, if another amount has arrived. */
  announcedAmount: amount.optional(),
  /** What the payer of one that was announced writes. */
  creditorReference: depositReference.optional(),
});
export type DepositView = z.output<typeof DepositView>;

export const depositListQuery = listQuery(["dateCreated", "depositId", "amount", "status"], {
  walletId: text(64).optional(),
  cardId: text(64).optional(),
  status: queryEnum(DepositStatus).optional(),
  channel: DepositChannel.optional(),
  ...ranges,
  externalId: externalId.optional(),
});

export const depositRoutes = [
  route("GET /deposits", "read listDeposits", "List deposits in Wallets and on Cards", {
    query: depositListQuery,
    items: DepositView,
  }),
  route("GET /deposits/{depositId}", "read viewDeposit", "View a deposit", { data: DepositView }),
  route(
    "POST /deposits/{depositId}/cancel",
    "money cancelDeposit",
    "Cancel a bank deposit that has not come",
    { data: DepositView, errors: ["ILLEGAL_TRANSITION"], movesFunds: true },
  ),
] as const;
