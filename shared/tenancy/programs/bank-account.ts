import * as z from "zod";
import { toAccountKey } from "../../contract/bank-account.ts";
import type { Fault } from "../../contract/errors.ts";
import { any, isNew } from "../../platform/table/condition.ts";
import { defineEntity } from "../../platform/table/entity.ts";
import { reportedKey } from "../../platform/table/reported-keys.ts";
import type { FailedConditions, WriteAction } from "../../platform/table/transact.ts";
import { type Program, readProgram } from "./program.ts";

const Claim = z.object({ programId: z.string() });

const claims = defineEntity({
  name: "bank account",
  table: "accounts",
  schema: Claim,
  key: (account: string) => reportedKey.bankAccount(toAccountKey(account)),
});

/**
 * For good, also when the Program changes to another account: what the bank reports late of the old
 * one still reaches it. Failed condition: `bank account`.
 */
export function claimBankAccount(programId: string, account: string | undefined): WriteAction[] {
  if (account === undefined) return [];
  return [claims.at(account).put({ programId }, any<z.output<typeof Claim>>(isNew, { programId }))];
}

/** As a fault, by the failed conditions of a transaction. */
export function takenBankAccount(failed: FailedConditions, path: string): Fault[] {
  if (!failed.has("bank account")) return [];
  const message = "must not be the account of another Program";
  return [{ path: `${path}.bankAccount`, code: "account_in_use", message }];
}

export async function findProgramOfAccount(account: string): Promise<Program | undefined> {
  const claim = await claims.at(account).get();
  return claim && readProgram(claim.programId);
}
