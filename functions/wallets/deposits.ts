import { answerRequest } from "../../shared/changes/execute.ts";
import { depositFromBank } from "../../shared/deposits/announce-deposit.ts";
import { cancellation } from "../../shared/deposits/cancel-announced.ts";
import { accountDepositList, depositList, deposits } from "../../shared/deposits/deposit.ts";
import { toDepositView } from "../../shared/deposits/deposit-view.ts";
import { isWalletId } from "../../shared/ledger/journal-entry.ts";
import type { StoredRecord } from "../../shared/lists/kind.ts";
import { listPage } from "../../shared/lists/list-page.ts";
import { soughtAmount } from "../../shared/lists/sought.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { findNamed } from "../../shared/platform/labels.ts";
import { getWallet } from "../../shared/wallets/wallet.ts";

export const listDeposits: Operations["GET /deposits"] = async ({ scope: { programId }, query }) => {
  const { walletId, cardId, status, channel } = query;
  if (!canMatch(walletId, cardId)) return { items: [], total: 0 };
  const owner = walletId ?? cardId;
  const { externalId } = query;
  return listPage(
    {
      records: (await findNamed(programId, "deposit", externalId, deposits.key)) ?? {
        list: { programId, owner, kind: owner === undefined ? depositList : accountDepositList },
      },
      orders: { depositId: "entityId", amount: "amountMinor" },
      filters: { status, channel, ...(externalId !== undefined && { externalId }) },
      sought: soughtAmount(query),
      ...(externalId !== undefined &&
        owner !== undefined && {
          where: (deposit: StoredRecord) => deposits.parse(deposit).account.accountId === owner,
        }),
      view: (deposit) => toDepositView(deposits.parse(deposit)),
    },
    query,
  );
};

/** A deposit has a Wallet or a Card, never both. */
function canMatch(walletId: string | undefined, cardId: string | undefined): boolean {
  if (walletId !== undefined) return cardId === undefined && isWalletId(walletId);
  return cardId === undefined || !isWalletId(cardId);
}

export const viewDeposit: Operations["GET /deposits/{depositId}"] = async ({ scope, path }) =>
  toDepositView(await deposits.at(scope.programId, path.depositId).require());

/**
 * Cancels what was announced with `bank-deposit`, until the bank reports it.
 * @throws ApiError NOT_FOUND; ILLEGAL_TRANSITION; IDEMPOTENCY_MISMATCH
 */
export const cancelDeposit: Operations["POST /deposits/{depositId}/cancel"] = ({
  scope: { programId },
  path,
  idempotency,
}) => answerRequest(cancellation, { programId, ...path }, idempotency);

/** @throws ApiError NOT_FOUND; IDEMPOTENCY_MISMATCH */
export const depositInWallet: Operations["POST /wallets/{walletId}/bank-deposit"] = (request) => {
  const { scope, path, body, idempotency } = request;
  return depositFromBank({ scope, account: { kind: "wallet", accountId: path.walletId }, body, idempotency });
};

/**
 * Deprecated: deposits are detected on the chain. Moves nothing.
 * @throws ApiError NOT_FOUND
 */
export const notifyDeposit: Operations["POST /wallets/{walletId}/deposit"] = async ({ scope, path }) => {
  await getWallet(scope.programId, path.walletId);
  return {};
};
