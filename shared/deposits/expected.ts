import * as z from "zod";
import { currencyNames, DepositStatus } from "../contract/enums.ts";
import type { OutsideDetail } from "../contract/outside.ts";
import { unixSeconds } from "../platform/clock.ts";
import { deadlinePut, defineDeadline } from "../platform/deadlines.ts";
import { outsidePut } from "../platform/outbox/outbox-put.ts";
import { defineEntity } from "../platform/table/entity.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import type { Deposit, NewDeposit } from "./deposit.ts";
import { referenceTo } from "./deposit-view.ts";

/** Points to a deposit that a bank's report may be about, by what the report says. */
export const expectedDeposits = defineEntity({
  name: "expected deposit",
  schema: z.object({ depositId: z.string(), expiresAtSeconds: z.int() }),
  key: (programId: string, name: string, depositId: string) => ({
    pk: `${programId}#EXPECTED`,
    sk: `${name}#${depositId}`,
  }),
});

export const clearing = defineDeadline("clear_deposit", "urgent");
export const expiry = defineDeadline("expire_deposit", "normal");

type Announced = NewDeposit & { readonly expiresAt: string };
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

/**
 * How a report finds it, and what ends it. By its account only while it is pending: what a
 * simulated bank has cleared must be named.
 */
export function expectedPuts(deposit: Announced): WriteAction[] {
  const { programId, depositId, status, clearsAt, expiresAt } = deposit;
  const item = { depositId, expiresAtSeconds: unixSeconds(new Date(expiresAt)) };
  const kind = clearsAt === undefined ? expiry : clearing;
  const dueAt = new Date(clearsAt ?? expiresAt);
  return [
    ...(status === DepositStatus.pending
      ? [deadlinePut(kind.at({ ownerId: programId, deadlineId: depositId, dueAt }))]
      : []),
    ...depositNames(deposit).map((name) => expectedDeposits.at(programId, name, depositId).put(item)),
  ];
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
