import * as z from "zod";
import { Currency, DepositStatus } from "../contract/enums.ts";
import { integerEnum } from "../contract/primitives.ts";
import { type ContraAccount, move, type Posting } from "../ledger/postings.ts";
import { defineList } from "../lists/kind.ts";
import { defineEntity } from "../platform/table/entity.ts";

/** What a deposit brings, on its account or in suspense; amounts in minor units. */
export const depositFields = {
  programId: z.string(),
  depositId: z.string(),
  account: z.object({ kind: z.enum(["card", "wallet"]), accountId: z.string() }),
  amountMinor: z.int(),
  currency: integerEnum(Currency),
  channel: z.enum(["bank", "crypto"]),
  chain: z.string().optional(),
  asset: z.string().optional(),
  txHash: z.string().optional(),
  /** The text by which its sender named the account. In suspense: all that the sender wrote. */
  reference: z.string().optional(),
  createdAt: z.string(),
};

const Deposit = z.object({
  ...depositFields,
  status: integerEnum(DepositStatus),
  externalId: z.string().optional(),
  /** The Card that it was sent to, which spends from the Wallet that got it. */
  cardId: z.string().optional(),
  /** These three are for cards only. */
  cardholderId: z.string().optional(),
  transId: z.string().optional(),
  cardToken: z.string().optional(),
  /** Cards only: its notifications so far, each of which the next one refers to. */
  pendingTransIdSc: z.string().optional(),
  clearedTransIdSc: z.string().optional(),
  /** The accountId in the bank's events, if it was assigned to another account out of suspense. */
  announcedFor: z.string().optional(),
  /** When it was cleared or reversed; absent where it was never pending. */
  settledAt: z.string().optional(),
  returnedAt: z.string().optional(),
  /** What was taken back of it in parts. */
  returnedMinor: z.int().optional(),
  /** When a pending deposit clears automatically; absent if only the processor clears it. */
  clearsAt: z.string().optional(),
  /** When a deposit that a client announced ends, unless the bank reports it before. */
  expiresAt: z.string().optional(),
  /** A bank's report was about it: another one is another deposit. */
  isReported: z.boolean().optional(),
  /** If the bank has reported another amount. */
  announcedMinor: z.int().optional(),
});
export type Deposit = Readonly<z.output<typeof Deposit>>;

export type RecordedDeposit = Deposit & {
  readonly status: typeof DepositStatus.pending | typeof DepositStatus.cleared;
};

/** The rest follows from the change. A card's deposit has the card's identity. */
export type NewDeposit = Omit<RecordedDeposit, "createdAt" | "transId">;

export const deposits = defineEntity({
  name: "deposit",
  schema: Deposit,
  saysWhenChanged: true,
  key: (programId: string, depositId: string) => ({ pk: `${programId}#${depositId}`, sk: "DEPOSIT" }),
});

/** Where a deposit's money comes from. */
export const fundingAccounts = {
  bank: "bank_funding",
  crypto: "crypto_funding",
} as const satisfies Record<Deposit["channel"], ContraAccount>;

export const depositList = defineList({
  name: "deposits",
  filters: ["status", "channel"],
  orders: ["amountMinor"],
  shards: 8,
  recordKey: ({ programId }, depositId) => deposits.key(programId, depositId),
});

/** The same of one Wallet or Card. */
export const accountDepositList = defineList({ ...depositList, name: "accountDeposits", shards: 1 });

// What moves. An account is a cardId or walletId; `funding` is where the money comes from.

/** Raises the ledger balance; cannot be spent yet. */
export function depositPending(account: string, funding: ContraAccount, amountMinor: number): Posting[] {
  return move(funding, `${account}:pending`, amountMinor);
}

export function pendingDepositCleared(account: string, amountMinor: number): Posting[] {
  return move(`${account}:pending`, `${account}:available`, amountMinor);
}

/** A deposit that was never pending. */
export function depositCleared(account: string, funding: ContraAccount, amountMinor: number): Posting[] {
  return move(funding, `${account}:available`, amountMinor);
}

/** Takes a cleared deposit back, even below zero. */
export function depositReturned(account: string, funding: ContraAccount, amountMinor: number): Posting[] {
  return move(`${account}:available`, funding, amountMinor);
}

export function pendingDepositReversed(
  account: string,
  funding: ContraAccount,
  amountMinor: number,
): Posting[] {
  return move(`${account}:pending`, funding, amountMinor);
}

export function depositSuspended(funding: ContraAccount, amountMinor: number): Posting[] {
  return move(funding, "suspense", amountMinor);
}

export function suspenseReturned(funding: ContraAccount, amountMinor: number): Posting[] {
  return move("suspense", funding, amountMinor);
}
