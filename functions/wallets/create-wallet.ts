import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { now } from "../../shared/clock.ts";
import { newId } from "../../shared/id.ts";
import { table } from "../../shared/table/client.ts";
import { newWallet, toWalletView, walletPut } from "../../shared/wallet/wallet.ts";
import type { WalletOperations } from "./operations.ts";

/** Creates an empty Wallet in the Program's currency. */
export const createWallet: WalletOperations["POST /wallets"] = async ({ scope, body }) => {
  const { programId, currency } = scope;
  const wallet = newWallet({ walletId: newId("wallet"), name: body.name, currency }, now());
  await table.send(new PutCommand(walletPut(programId, wallet).Put));
  return toWalletView(wallet);
};
