import * as z from "zod";
import { toCreditorReference } from "../contract/creditor-reference.ts";
import { Currency } from "../contract/enums.ts";
import { integerEnum } from "../contract/primitives.ts";
import type { WalletView } from "../contract/wallets.ts";
import { accounts, entryCounts, noEntries, toBalances } from "../ledger/account.ts";
import { readWhole } from "../ledger/hot-wallets.ts";
import { zeroBalances } from "../ledger/postings.ts";
import { listInsert } from "../lists/entry.ts";
import { defineList } from "../lists/kind.ts";
import { timestamp } from "../platform/clock.ts";
import { type Labelling, type Labels, labelFields } from "../platform/labels.ts";
import { defineEntity } from "../platform/table/entity.ts";
import type { Program } from "../tenancy/programs/program.ts";

export const Wallet = z.object({
  /** walletId. */
  entityId: z.string(),
  walletId: z.string(),
  name: z.string(),
  currency: integerEnum(Currency),
  availableMinor: z.int(),
  heldMinor: z.int(),
  pendingDepositMinor: z.int(),
  ledgerMinor: z.int(),
  ...entryCounts,
  /** A hot Wallet has this number of shards, and their epoch (ledger/shards.ts). */
  shards: z.int().optional(),
  epoch: z.int().optional(),
  ...labelFields,
  createdAt: z.string(),
});
export type Wallet = z.output<typeof Wallet>;

export const wallets = defineEntity({
  name: "wallet",
  schema: Wallet,
  key: accounts.wallet.key,
  saysWhenChanged: true,
});

export const walletList = defineList({
  name: "wallets",
  recordKey: ({ programId }, walletId) => wallets.key(programId, walletId),
});

/**
 * The Wallet's own item: a hot one's balances are only in part there.
 * @throws ApiError NOT_FOUND
 */
export function getWallet(programId: string, walletId: string, place?: string): Promise<Wallet> {
  return wallets.at(programId, walletId).require(place);
}

/** Has the balances of all shards, at one moment. */
export async function readWholeWallet(programId: string, wallet: Wallet): Promise<Wallet> {
  const account = { kind: "wallet", accountId: wallet.walletId } as const;
  const whole = await readWhole(programId, account, wallet);
  return { ...wallet, ...whole };
}

export function newWallet(wallet: Pick<Wallet, "walletId" | "name" | "currency"> & Labels, at: Date): Wallet {
  const account = { ...zeroBalances, ...noEntries };
  return { entityId: wallet.walletId, ...wallet, ...account, createdAt: timestamp(at) };
}

export function walletPut(programId: string, wallet: Wallet) {
  return {
    ...wallets.at(programId, wallet.walletId).create(wallet),
    alongside: [listInsert(walletList, programId, wallet.walletId, wallet)],
  };
}

export function defaultWalletPut({ programId, defaultWalletId, currency, createdAt }: Program) {
  const wallet = { walletId: defaultWalletId, name: "Default", currency };
  return walletPut(programId, newWallet(wallet, new Date(createdAt)));
}

/** Without metadata. */
export function toWalletView(wallet: Wallet): Labelling<WalletView> {
  return {
    walletId: wallet.walletId,
    name: wallet.name,
    walletCurrencyId: wallet.currency,
    ...toBalances(wallet),
    creditorReference: toCreditorReference(wallet.walletId),
    externalId: wallet.externalId,
    hasMetadata: wallet.hasMetadata,
    dateCreated: wallet.createdAt,
  };
}
