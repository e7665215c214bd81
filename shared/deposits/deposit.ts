import * as z from "zod";
import { CardStatus, Currency, DepositStatus } from "../contract/enums.ts";
import { integerEnum } from "../contract/primitives.ts";
import type { DepositView } from "../contract/wallets.ts";
import type { ContraAccount } from "../ledger/postings.ts";
import type { ListKind } from "../lists/entry.ts";
import { defineEntity } from "../platform/table/entity.ts";
import type { TransitionTable } from "../platform/table/transition.ts";

export type DepositTrigger = "clear" | "reverse" | "return";

/** Every legal change of a deposit's status; the code and the documentation read this one table. */
export const depositTransitions = [
  { from: DepositStatus.pending, trigger: "clear", to: DepositStatus.cleared },
  { from: DepositStatus.pending, trigger: "reverse", to: DepositStatus.reversed },
  { from: DepositStatus.cleared, trigger: "return", to: DepositStatus.returned },
] as const satisfies TransitionTable<DepositStatus, DepositTrigger>;

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

export const deposits = defineEntity({
  name: "deposit",
  schema: Deposit,
  key: (programId: string, depositId: string) => ({ pk: `${programId}#${depositId}`, sk: "DEPOSIT" }),
});

/** What its bank can still take back. */
export function leftMinor({
  amountMinor,
  returnedMinor = 0,
}: Pick<Deposit, "amountMinor" | "returnedMinor">) {
  return amountMinor - returnedMinor;
}

/** Where a deposit's money comes from. */
export const fundingAccounts = {
  bank: "bank_funding",
  crypto: "crypto_funding",
} as const satisfies Record<Deposit["channel"], ContraAccount>;

export const depositDescriptions = {
  bank: "Bank deposit",
  crypto: "Digital-asset deposit",
} as const satisfies Record<Deposit["channel"], string>;

/** A card takes deposits once its issuance is approved and until it is closed. */
export const acceptingStatuses: readonly CardStatus[] = [
  CardStatus.active,
  CardStatus.onHold,
  CardStatus.notActivated,
];

export const depositList: ListKind = {
  name: "deposits",
  filters: ["status", "channel"],
  orders: ["amountMinor"],
  shards: 8,
  recordKey: ({ programId }, depositId) => deposits.key(programId, depositId),
};

/** The same of one Wallet or Card. */
export const accountDepositList: ListKind = { ...depositList, name: "accountDeposits", shards: 1 };

/** A deposit that was never pending settled when it was created. */
export function toDepositView(deposit: Deposit): DepositView {
  const { account, status, settledAt, createdAt } = deposit;
  return {
    depositId: deposit.depositId,
    ...(account.kind === "card" ? { cardId: account.accountId } : { walletId: account.accountId }),
    channel: deposit.channel,
    amount: deposit.amountMinor,
    currency: deposit.currency,
    status,
    reference: deposit.reference,
    dateCreated: createdAt,
    dateSettled: status === DepositStatus.pending ? undefined : (settledAt ?? createdAt),
    expiresAt: deposit.expiresAt,
    announcedAmount: deposit.announcedMinor,
  };
}
