import type { BankDeposited } from "../../contract/bank.ts";
import { findProgramOfAccount } from "../../tenancy/programs/bank-account.ts";
import { type Program, readProgram } from "../../tenancy/programs/program.ts";
import { applyDeposit } from "./apply-deposit.ts";
import { applyReturn } from "./apply-return.ts";
import type { BankOutcome, BankReport } from "./report.ts";

/**
 * Applies what a bank reports, once, however it came. Repeated after a failure, it has its first
 * outcome. A return that comes before its deposit is rejected, and remembered: the deposit is
 * returned when it comes.
 * @throws ContendedError
 */
export async function applyBankEvent({ event, ...report }: BankReport): Promise<BankOutcome> {
  const { account } = event;
  const program = await findProgram(account, report.programId);
  if (!program && (account !== undefined || event.kind === "deposited"))
    return { status: "rejected", reason: `No Program collects on ${account}.` };
  const { programId } = program ?? {};
  if (event.kind === "returned") return applyReturn(event, programId, report.origin);
  return applyDeposit(event, programId ?? "", report);
}

async function findProgram(
  account: BankDeposited["account"],
  programId: string | undefined,
): Promise<Pick<Program, "programId"> | undefined> {
  if (programId !== undefined) return readProgram(programId);
  return account === undefined ? undefined : findProgramOfAccount(account);
}
