import { newWallet, toWalletView, walletPut } from "../../shared/domain/wallets/wallet.ts";
import { now } from "../../shared/platform/clock.ts";
import { newId } from "../../shared/platform/id.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import type { WalletOperations } from "./operations.ts";

/**
 * A transaction, although it is one write: when the answer is lost, the client's retry must not mistake its
 * own new wallet for another's.
 */
export const createWallet: WalletOperations["POST /wallets"] = async ({ scope, body }) => {
  const { programId, currency } = scope;
  const wallet = newWallet({ walletId: newId("wallet"), name: body.name, currency }, now());
  const { committed } = await transact([walletPut(programId, wallet)]);
  if (!committed) throw new Error(`The id ${wallet.walletId} was given twice.`);
  return toWalletView(wallet);
};
