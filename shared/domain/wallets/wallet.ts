import type { Currency } from "../../contract/enums.ts";
import type { WalletView } from "../../contract/wallets.ts";
import { listInsert } from "../../lists/change.ts";
import type { ListKind } from "../../lists/entry.ts";
import { timestamp } from "../../platform/clock.ts";
import { environment } from "../../platform/environment.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import { issuingKey } from "../../platform/table/keys.ts";
import type { WriteAction } from "../../platform/table/transact.ts";
import type { Program } from "../../tenancy/programs/program.ts";
import { readAccount, toBalances } from "../ledger/account.ts";
import { type AccountBalances, zeroBalances } from "../ledger/postings.ts";

export interface Wallet extends AccountBalances {
  readonly walletId: string;
  readonly name: string;
  readonly currency: Currency;
  readonly createdAt: string;
}

export const walletList: ListKind = {
  name: "wallets",
  filters: [],
  orders: [],
  shards: 1,
  recordKey: ({ programId }, walletId) => issuingKey.wallet(programId, walletId),
};

export interface NewWallet {
  readonly walletId: string;
  readonly name: string;
  readonly currency: Currency;
}

export function newWallet(wallet: NewWallet, at: Date): Wallet {
  return { ...wallet, ...zeroBalances, createdAt: timestamp(at) };
}

export function walletPut(
  programId: string,
  wallet: Wallet,
): Extract<WriteAction, { readonly Put: unknown }> {
  return {
    name: "wallet",
    Put: {
      TableName: environment.issuingTable,
      Item: {
        ...issuingKey.wallet(programId, wallet.walletId),
        entityId: wallet.walletId,
        ...wallet,
      },
      ConditionExpression: "attribute_not_exists(pk)",
    },
    alongside: [listInsert(walletList, programId, wallet.walletId, wallet)],
  };
}

export function defaultWalletPut({ programId, defaultWalletId, currency, createdAt }: Program): WriteAction {
  const wallet = { walletId: defaultWalletId, name: "Default", currency };
  return walletPut(programId, newWallet(wallet, new Date(createdAt)));
}

export function toWalletView(wallet: Wallet): WalletView {
  return {
    walletId: wallet.walletId,
    name: wallet.name,
    walletCurrencyId: wallet.currency,
    ...toBalances(wallet),
    dateCreated: wallet.createdAt,
  };
}

/**
 * Consistent read.
 * @throws ApiError NOT_FOUND
 */
export async function getWallet(programId: string, walletId: string): Promise<Wallet> {
  const account = await readAccount(programId, { kind: "wallet", accountId: walletId });
  if (!account) throw new ApiError("NOT_FOUND");
  return account as Wallet;
}
