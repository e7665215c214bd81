import { type WalletTransaction, walletTransactionList } from "../../shared/ledger/wallet-transactions.ts";
import { listPage } from "../../shared/lists/list-page.ts";
import { soughtAmount } from "../../shared/lists/sought.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { pick } from "../../shared/platform/pick.ts";
import { proveBalances } from "../../shared/proofs/prove-balances.ts";
import { findNamedTransfers } from "../../shared/wallets/stored-transfer.ts";
import { type Transfer, toTransferView } from "../../shared/wallets/transfer.ts";
import { transferList } from "../../shared/wallets/transfer-list.ts";
import { getWallet } from "../../shared/wallets/wallet.ts";

/** Includes declined transfers. */
export const listTransfers: Operations["GET /wallets/{walletId}/transfers"] = ({
  scope: { programId },
  path: { walletId },
  query,
}) =>
  withWallet(
    programId,
    walletId,
    listPage(
      {
        records:
          query.externalId === undefined
            ? { list: { programId, kind: transferList, owner: walletId } }
            : namedTransfers(programId, walletId, query.externalId),
        orders: { transferId: "entityId", amount: "requestedAmountMinor" },
        filters: { transStatus: query.transStatus },
        sought: soughtAmount(query, "requestedAmountMinor"),
        view: (transfer: Transfer) => toTransferView(transfer),
      },
      query,
    ),
  );

async function namedTransfers(programId: string, walletId: string, externalId: string) {
  const named = await findNamedTransfers(programId, externalId);
  return {
    given: named.filter((one) => one.sourceWalletId === walletId || one.destinationId === walletId),
  };
}

/** Signed minor units that add up to the ledger balance. */
export const listWalletTransactions: Operations["GET /wallets/{walletId}/transactions"] = ({
  scope: { programId },
  path: { walletId },
  query,
}) =>
  withWallet(
    programId,
    walletId,
    listPage(
      {
        records: { list: { programId, kind: walletTransactionList, owner: walletId } },
        orders: { walletTransactionId: "entityId", amount: "amountMinor" },
        filters: { type: query.type, cardId: query.cardId },
        view: toWalletTransactionView,
      },
      query,
    ),
  );

/**
 * Reads the page and the Wallet at the same time.
 * @throws ApiError NOT_FOUND
 */
async function withWallet<Page>(programId: string, walletId: string, page: Promise<Page>): Promise<Page> {
  const [found] = await Promise.all([page, getWallet(programId, walletId)]);
  return found;
}

function toWalletTransactionView(transaction: WalletTransaction) {
  return {
    walletTransactionId: transaction.entityId,
    ...pick(transaction, "type", "relatedId", "cardId", "description"),
    amount: transaction.amountMinor,
    dateCreated: transaction.createdAt,
  };
}

export const proveBalance: Operations["GET /wallets/{walletId}/balance/proof"] = async ({
  scope: { programId },
  path: { walletId },
}) => ({ walletId, ...(await proveBalances(programId, { kind: "wallet", accountId: walletId })) });
