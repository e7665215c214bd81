import { toAccountKey } from "../../contract/bank-account.ts";
import type { Fault } from "../../contract/errors.ts";
import { now, timestamp } from "../../platform/clock.ts";
import { invalid } from "../../platform/http/api-error.ts";
import { any, below, isNew } from "../../platform/table/condition.ts";
import type { FailedConditions, WriteAction } from "../../platform/table/transact.ts";
import { bankAccountClaims, type Claim } from "./collecting-account.ts";
import type { Program } from "./program.ts";

const heldDays = 90;
const mostFormer = 5;

type Holder = Pick<Program, "programId" | "settings" | "formerBankAccounts">;

/**
 * Claims the account that a Program is about to have. It goes on having the one before for 90 days,
 * because payers and banks are late; then another Program can claim it. `taken`: the Program that
 * the operator takes the account from. Failed condition: `bank account`.
 * @throws ApiError VALIDATION_FAILED with more than five former accounts
 */
export function changeBankAccount(
  { programId, settings: { bankAccount: before }, formerBankAccounts = [] }: Holder,
  bankAccount: string | undefined,
  path: string,
  taken?: string,
): { readonly writes: WriteAction[]; readonly set: Partial<Pick<Program, "formerBankAccounts">> } {
  if (bankAccount === undefined || isSame(bankAccount, before)) return { writes: [], set: {} };
  const at = now();
  const isFree = any<Claim>(
    isNew,
    { programId },
    taken === undefined ? { heldUntil: below(timestamp(at)) } : { programId: taken },
  );
  const writes = [bankAccountClaims.at(bankAccount).put({ programId }, isFree)];
  const former = stillHeld(formerBankAccounts).filter((one) => !isSame(one.bankAccount, bankAccount));
  if (before === undefined)
    return { writes, set: formerBankAccounts.length > 0 ? { formerBankAccounts: former } : {} };
  if (former.length >= mostFormer) throw invalid(`${path}.bankAccount`, "too_many_accounts", tooMany);
  const heldUntil = timestamp(new Date(at.getTime() + heldDays * 86_400_000));
  writes.push(bankAccountClaims.at(before).put({ programId, heldUntil }, any<Claim>(isNew, { programId })));
  return { writes, set: { formerBankAccounts: [...former, { bankAccount: before, heldUntil }] } };
}

const tooMany = `must not be replaced more than ${mostFormer} times in ${heldDays} days`;

/** Without the account, whether the Program has it or had it. */
export function withoutBankAccount(
  { settings, formerBankAccounts = [] }: Pick<Program, "settings" | "formerBankAccounts">,
  bankAccount: string,
): Pick<Program, "settings" | "formerBankAccounts"> {
  const { bankAccount: current, ...others } = settings;
  return {
    settings: isSame(bankAccount, current) ? others : settings,
    formerBankAccounts: formerBankAccounts.filter((one) => !isSame(one.bankAccount, bankAccount)),
  };
}

function stillHeld(former: NonNullable<Program["formerBankAccounts"]>) {
  return former.filter(({ heldUntil }) => heldUntil > timestamp());
}

function isSame(account: string, other: string | undefined): boolean {
  return other !== undefined && toAccountKey(account) === toAccountKey(other);
}

/** Makes a fault of the failed conditions of a transaction. */
export function takenBankAccount(failed: FailedConditions, path: string): Fault[] {
  if (!failed.has("bank account")) return [];
  const message = "must not be the account of another Program";
  return [{ path: `${path}.bankAccount`, code: "account_in_use", message }];
}
