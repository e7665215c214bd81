import * as z from "zod";
import { toDepositReference } from "../contract/creditor-reference.ts";
import { CardStatus, Currency, currencyNames, DepositStatus } from "../contract/enums.ts";
import type { OutsideDetail } from "../contract/outside.ts";
import { integerEnum } from "../contract/primitives.ts";
import type { DepositView } from "../contract/wallets.ts";
import type { ContraAccount } from "../ledger/postings.ts";
import type { ListKind } from "../lists/kind.ts";
import { unixSeconds } from "../platform/clock.ts";
import { outsidePut } from "../platform/outbox/outbox-put.ts";
import { defineEntity } from "../platform/table/entity.ts";
import type { WriteAction } from "../platform/table/transact.ts";
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

export const deposits = defineEntity({
  name: "deposit",
  schema: Deposit,
  saysWhenChanged: true,
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
    ...(deposit.cardId !== undefined && { cardId: deposit.cardId }),
    channel: deposit.channel,
    amount: deposit.amountMinor,
    currency: deposit.currency,
    status,
    reference: deposit.reference,
    dateCreated: createdAt,
    dateSettled: status === DepositStatus.pending ? undefined : (settledAt ?? createdAt),
    expiresAt: deposit.expiresAt,
    announcedAmount: deposit.announcedMinor,
    creditorReference: referenceTo(deposit),
  };
}

/** What payers write of one that a client announced. */
export function referenceTo({ depositId, expiresAt }: Pick<Deposit, "depositId" | "expiresAt">) {
  return expiresAt === undefined ? undefined : toDepositReference(depositId);
}

/** Points to a deposit that a bank's report may be about, by what the report says. */
export const expectedDeposits = defineEntity({
  name: "expected deposit",
  schema: z.object({ depositId: z.string(), expiresAtSeconds: z.int() }),
  key: (programId: string, name: string, depositId: string) => ({
    pk: `${programId}#EXPECTED`,
    sk: `${name}#${depositId}`,
  }),
});

type Expected = Pick<Deposit, "programId" | "depositId" | "account" | "amountMinor" | "status"> &
  Pick<Deposit, "cardId" | "reference" | "expiresAt">;

/** Too short a reference names nothing: other payers write the same. */
const shortest = 6;

/** As banks carry it: letters and digits alone. Undefined if it names no deposit. */
export function plainReference(written = ""): string | undefined {
  const plain = written
    .normalize("NFKD")
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, "");
  return plain.length < shortest ? undefined : plain;
}

export const byAccount = (accountId: string, amountMinor: number) => `ACCOUNT#${accountId}#${amountMinor}`;

/** Its account, and the Card of a Wallet's that it was announced for. */
export function isAnnouncedFor({ account, cardId }: Pick<Deposit, "account" | "cardId">, accountId: string) {
  return accountId === account.accountId || accountId === cardId;
}

export const byReference = (plain: string) => `REFERENCE#${plain}`;

/** Announced, and neither reported nor cancelled. */
export function isExpected({ status, expiresAt }: Pick<Deposit, "status" | "expiresAt">): boolean {
  return status === DepositStatus.pending && expiresAt !== undefined;
}

/** The announced deposits of an account that are pending, of a Card also those on its Wallet. */
export async function listExpected(programId: string, accountId: string): Promise<string[]> {
  const found = await expectedDeposits.list(programId, `ACCOUNT#${accountId}`);
  return found.map(({ depositId }) => depositId);
}

/** By its account only while it is pending: what a simulated bank has cleared must be named. */
export function expectedPuts(deposit: Expected): WriteAction[] {
  const { programId, depositId, expiresAt } = deposit;
  if (expiresAt === undefined) return [];
  const item = { depositId, expiresAtSeconds: unixSeconds(new Date(expiresAt)) };
  return depositNames(deposit).map((name) => expectedDeposits.at(programId, name, depositId).put(item));
}

/** What has cleared can still be named: by its report, or by later money for the same account. */
export function expectedDeletes(deposit: Expected, isOver: boolean): WriteAction[] {
  const { programId, depositId, expiresAt } = deposit;
  if (expiresAt === undefined) return [];
  const names = isOver ? depositNames(deposit) : accountNames(deposit);
  return names.map((name) => expectedDeposits.at(programId, name, depositId).delete());
}

function accountNames({ account, cardId = account.accountId, amountMinor, status }: Expected): string[] {
  if (status !== DepositStatus.pending) return [];
  return [...new Set([account.accountId, cardId])].map((one) => byAccount(one, amountMinor));
}

function depositNames(deposit: Expected): string[] {
  const plain = plainReference(deposit.reference);
  return [...accountNames(deposit), ...(plain === undefined ? [] : [byReference(plain)])];
}

/** Tells the bank what is to come. */
export function expectedNotice(deposit: Deposit, bankAccount: string | undefined): WriteAction {
  const { reference, expiresAt = "" } = deposit;
  return outsidePut(deposit.programId, "deposit.expected", {
    ...toFacts(deposit),
    reference,
    account: bankAccount,
    expiresAt,
  });
}

export function cancelledNotice(deposit: Deposit): WriteAction {
  return outsidePut(deposit.programId, "deposit.cancelled", toFacts(deposit));
}

function toFacts(deposit: Deposit): OutsideDetail<"deposit.cancelled"> {
  const { depositId, amountMinor: amount, currency } = deposit;
  return { depositId, creditorReference: referenceTo(deposit), amount, currency: currencyNames[currency] };
}
