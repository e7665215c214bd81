import * as z from "zod";
import { toAccountKey } from "../../contract/bank-account.ts";
import { defineEntity } from "../../platform/table/entity.ts";
import { type Program, readProgram } from "./program.ts";

const Claim = z.object({
  programId: z.string(),
  /** The Program has replaced the account: from then on, another Program can have it. */
  heldUntil: z.string().optional(),
});
export type Claim = z.output<typeof Claim>;

export const bankAccountClaims = defineEntity({
  name: "bank account",
  table: "accounts",
  schema: Claim,
  key: (account: string) => ({ pk: `BANK_ACCOUNT#${toAccountKey(account)}`, sk: "BANK_ACCOUNT" }),
});

export async function findProgramOfAccount(account: string): Promise<Program | undefined> {
  const claim = await bankAccountClaims.at(account).get();
  return claim && readProgram(claim.programId);
}
