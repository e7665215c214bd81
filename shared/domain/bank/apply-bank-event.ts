import type { BankDeposited, BankEvent } from "../../contract/bank.ts";
import { DestinationType } from "../../contract/enums.ts";
import { findProgramOfAccount } from "../../tenancy/programs/bank-account.ts";
import { type Program, readProgram } from "../../tenancy/programs/program.ts";
import { applyEvent } from "../network/execute-event.ts";
import { applyReturn } from "./apply-return.ts";
import {
  claimDeposit,
  claimDivided,
  describeKnown,
  describesSame,
  recordPayerReference,
} from "./claim-deposit.ts";
import { matchAccount } from "./match-account.ts";
import { returnEarly } from "./return-early.ts";

export interface BankReport {
  readonly event: BankEvent;
  /** Names the report: a message's id, or a file and its record. A repetition has the same one. */
  readonly origin: string;
  /** Where a connection says the Program. A file's account says it. */
  readonly programId?: string;
}

export type BankOutcome =
  | { readonly status: "applied" | "duplicate" | "suspense"; readonly programId: string }
  | { readonly status: "rejected"; readonly reason: string; readonly programId?: string };

/**
 * Applies what a bank reports, once, however it came. Repeated after a failure, it goes on where it
 * ended. A return that comes before its deposit is rejected, and remembered: the deposit is
 * returned when it comes.
 * @throws ContendedError
 */
export function applyBankEvent({ event, ...report }: BankReport): Promise<BankOutcome> {
  return event.kind === "deposited" ? applyDeposit(event, report) : applyReturn(event, report);
}

type Report = Omit<BankReport, "event">;

async function applyDeposit(event: BankDeposited, report: Report): Promise<BankOutcome> {
  const program = await findProgram(event.account, report);
  if (!program) return { status: "rejected", reason: `No Program collects on ${event.account}.` };
  const { programId } = program;
  const divided = await claimDivided(event, programId, report.origin);
  if (divided !== undefined) return { status: "rejected", programId, reason: divided };
  const deposit = await claimDeposit(event, programId, report.origin);
  const { account, bankReference, depositId } = deposit;
  if (!describesSame(event, deposit))
    return { status: "rejected", programId, reason: describeKnown(deposit) };
  await recordPayerReference(event, deposit);
  const matched = await matchAccount(programId, event);
  const isCard = matched?.account.kind === "card";
  const [written = "none"] = event.remittance;
  const result = await applyEvent(
    {
      kind: "deposit_cleared",
      eventId: `bank:${account}:${bankReference}`,
      programId,
      depositId,
      accountType: isCard ? DestinationType.card : DestinationType.wallet,
      // No text of the payer's: it could be the id of an account that does not match.
      accountId: matched?.account.accountId ?? "none",
      amount: event.amount,
      currency: event.currency,
      channel: "bank",
      ...(event.remittance.length > 0 && { reference: matched?.reference ?? written.slice(0, 140) }),
    },
    { suspendUnknown: true },
  );
  await returnEarly(deposit, event.endToEndId);
  if (result.outcome === "refused")
    return { status: "rejected", programId, reason: `The deposit ${depositId} cannot clear any more.` };
  if (deposit.origin !== report.origin) return { status: "duplicate", programId };
  return { status: result.suspenseId === undefined ? "applied" : "suspense", programId };
}

async function findProgram(account: string | undefined, { programId }: Report): Promise<Program | undefined> {
  if (programId !== undefined) return readProgram(programId);
  return account === undefined ? undefined : findProgramOfAccount(account);
}
