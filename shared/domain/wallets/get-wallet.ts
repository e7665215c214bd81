import { ApiError } from "../../platform/http/api-error.ts";
import { readAccount } from "../ledger/account.ts";
import type { Wallet } from "./wallet.ts";

/**
 * The wallet as it is now, consistently read.
 *
 * @throws ApiError NOT_FOUND where the Program has none by this id.
 */
export async function getWallet(programId: string, walletId: string): Promise<Wallet> {
  const account = await readAccount(programId, { kind: "wallet", accountId: walletId });
  if (!account) throw new ApiError("NOT_FOUND");
  return account as Wallet;
}
