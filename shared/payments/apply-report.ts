import { applyBankEvent } from "../deposits/bank/apply-bank-event.ts";
import type { BankOutcome } from "../deposits/bank/payment.ts";
import { findProgramOfAccount } from "../tenancy/programs/collecting-account.ts";
import {
  type Claim,
  claimBatch,
  claimGroup,
  claimPayment,
  disagreement,
  type OrderReport,
  suspend,
} from "./claim-report.ts";
import { findPayment } from "./payment.ts";

/**
 * Applies what a bank reports. What names a payment that the platform has ordered is its outcome,
 * if account and amount agree; everything else is a deposit, a return, or refused.
 * @throws ContendedError, TimeUpError
 */
export async function applyReport(report: OrderReport): Promise<BankOutcome> {
  const { event, reason } = report;
  const claimed = await claim(report);
  if (claimed === "disagrees" && event.kind === "deposited") return suspend(report, event);
  if (claimed !== undefined && claimed !== "disagrees") return claimed;
  if (reason !== undefined || event.kind === "status" || event.kind === "debited") {
    const programId = await findProgramId(report);
    const why = claimed === "disagrees" ? disagreement : undefined;
    const refused = [why, reason ?? "It is of no payment that was ordered."].filter(Boolean).join(" ");
    return { status: "rejected", reason: refused, ...(programId !== undefined && { programId }) };
  }
  return applyBankEvent({ ...report, event });
}

async function claim(report: OrderReport): Promise<Claim> {
  const { event } = report;
  const { endToEnd, instruction, message } = event.references;
  for (const name of [endToEnd, instruction]) {
    const payment = name === undefined ? undefined : await findPayment(name);
    if (payment) return claimPayment(report, payment);
  }
  if (event.batch !== undefined) return claimBatch(report, event.batch);
  // The status of a payment that is not known says nothing of the others of its message.
  const isOfGroup = event.kind === "status" && endToEnd === undefined && instruction === undefined;
  return isOfGroup && message !== undefined ? claimGroup(report, event, message) : undefined;
}

async function findProgramId({ event, programId }: OrderReport): Promise<string | undefined> {
  const account = event.kind === "status" ? undefined : event.account;
  if (programId !== undefined || account === undefined) return programId;
  return (await findProgramOfAccount(account))?.programId;
}
