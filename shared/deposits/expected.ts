import * as z from "zod";
import { currencyNames, DepositStatus } from "../contract/enums.ts";
import type { OutsideDetail } from "../contract/outside.ts";
import { unixSeconds } from "../platform/clock.ts";
import { outsidePut } from "../platform/outbox/outbox-put.ts";
import { defineEntity } from "../platform/table/entity.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import type { Deposit } from "./deposit.ts";

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
  Pick<Deposit, "reference" | "expiresAt">;

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

export const byAccount = ({ account, amountMinor }: Pick<Expected, "account" | "amountMinor">) =>
  `ACCOUNT#${account.accountId}#${amountMinor}`;

export const byReference = (plain: string) => `REFERENCE#${plain}`;

/** By its account only while it is pending: what a simulated bank has cleared must be named. */
export function expectedPuts(deposit: Expected): WriteAction[] {
  const { programId, depositId, expiresAt } = deposit;
  if (expiresAt === undefined) return [];
  const item = { depositId, expiresAtSeconds: unixSeconds(new Date(expiresAt)) };
  return namesOf(deposit).map((name) => expectedDeposits.at(programId, name, depositId).put(item));
}

/** What cleared without a report can still be named by one. */
export function expectedDeletes(deposit: Expected, isOver: boolean): WriteAction[] {
  const { programId, depositId, expiresAt } = deposit;
  if (expiresAt === undefined) return [];
  const names = namesOf(deposit).filter((name) => isOver || name === byAccount(deposit));
  return names.map((name) => expectedDeposits.at(programId, name, depositId).delete());
}

function namesOf(deposit: Expected): string[] {
  const plain = plainReference(deposit.reference);
  return [
    ...(deposit.status === DepositStatus.pending ? [byAccount(deposit)] : []),
    ...(plain === undefined ? [] : [byReference(plain)]),
  ];
}

/** Tells the bank what is to come. */
export function expectedNotice(deposit: Deposit, bankAccount: string | undefined): WriteAction {
  const { reference, expiresAt = "" } = deposit;
  return outsidePut(deposit.programId, "deposit.expected", {
    ...factsOf(deposit),
    reference,
    account: bankAccount,
    expiresAt,
  });
}

export function cancelledNotice(deposit: Deposit): WriteAction {
  return outsidePut(deposit.programId, "deposit.cancelled", factsOf(deposit));
}

function factsOf({ depositId, amountMinor: amount, currency }: Deposit): OutsideDetail<"deposit.cancelled"> {
  return { depositId, amount, currency: currencyNames[currency] };
}
