import { ApiError } from "../../platform/http/api-error.ts";
import { readAccount } from "../ledger/account.ts";
import type { Wallet } from "./wallet.ts";

/**
 * Consistent read.
 * @throws ApiError NOT_FOUND
 */
export async function getWallet(programId: string, walletId: string): Promise<Wallet> {
  const account = await readAccount(programId, { kind: "wallet", accountId: walletId });
  if (!account) throw new ApiError("NOT_FOUND");
  return account as Wallet;
}
