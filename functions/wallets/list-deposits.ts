import type { Deposit } from "../../shared/domain/deposits/deposit.ts";
import { toDepositView } from "../../shared/domain/deposits/deposit-view.ts";
import { isWalletId } from "../../shared/domain/ledger/wallet-transaction.ts";
import { listPage } from "../../shared/lists/list-page.ts";
import type { WalletOperations } from "./operations.ts";

type Operation = WalletOperations["GET /deposits"];

/** Lists the deposits of the Program, or of one Wallet or Card. */
export const listDeposits: Operation = async ({ scope, query }) => {
  const { programId } = scope;
  const { walletId, cardId, status, channel, ...pageQuery } = query;
  if (!isPossible(walletId, cardId)) return { items: [], total: 0 };
  const owner = walletId ?? cardId;
  const { items, total } = await listPage(
    {
      records:
        owner === undefined
          ? { programId, collection: "deposits" }
          : { programId, owned: "accountDeposits", owner },
      orders: {
        dateCreated: "createdAt",
        depositId: "entityId",
        amount: "amountMinor",
        status: "status",
      },
      filters: { status, channel },
    },
    pageQuery,
  );
  return { items: (items as unknown as Deposit[]).map(toDepositView), total };
};

/** A deposit has a Wallet or a Card, never both; and neither is the other. */
function isPossible(walletId: string | undefined, cardId: string | undefined): boolean {
  if (walletId !== undefined) return cardId === undefined && isWalletId(walletId);
  return cardId === undefined || !isWalletId(cardId);
}
