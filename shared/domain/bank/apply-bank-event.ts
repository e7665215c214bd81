import type { BankDeposited, BankEvent } from "../../contract/bank.ts";
import { findProgramOfAccount } from "../../tenancy/programs/bank-account.ts";
import { type Program, readProgram } from "../../tenancy/programs/program.ts";
import { applyDeposit } from "./apply-deposit.ts";
import { applyReturn } from "./apply-return.ts";

export interface BankReport {
  readonly event: BankEvent;
  /** Names the report: a message's id, or a file and its record. A repetition has the same one. */
  readonly origin: string;
  /** By its content: two records of a file are two payments. */
  readonly file?: string | undefined;
  /** Where a connection says the Program. A file's account says it. */
  readonly programId?: string;
}

export type BankOutcome =
  | { readonly status: "applied" | "duplicate" | "suspense"; readonly programId: string }
  | { readonly status: "rejected"; readonly reason: string; readonly programId?: string };

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
