import { applyEvent } from "../network/execute-event.ts";
import type { BankOutcome } from "./apply-bank-event.ts";
import { contradiction } from "./choose-deposit.ts";
import { type ReportedDeposit, type ReportedReturn, reportedReturns } from "./reported.ts";

/**
 * Takes the return's amount back from its deposit, once: a whole return is known by its deposit, a
 * part by the bank's reference of the return, else by its amount.
 */
export async function giveBack(
  deposit: ReportedDeposit,
  { sk: _, ...returned }: ReportedReturn,
  origin: string,
): Promise<BankOutcome> {
  const { programId, depositId, account, bankReference } = deposit;
  const reason = contradiction(returned, deposit);
  if (reason !== undefined) return { status: "rejected", programId, reason };
  const { amountMinor } = returned;
  const isWhole = amountMinor === undefined || amountMinor === deposit.amountMinor;
  const part = isWhole ? "" : partOf(returned);
  // Written before: a deposit that is about to clear looks for its returns then.
  const claim = { ...returned, takenBy: account };
  const first = (await reportedReturns.at(bankReference, account, part).createNow(claim)) ?? claim;
  const result = await applyEvent({
    kind: "deposit_returned",
    eventId: `bank-return:${account}:${bankReference}${part}`,
    programId,
    depositId,
    ...(amountMinor !== undefined && { amount: amountMinor }),
  });
  if (first.origin !== origin) return { status: "duplicate", programId };
  const isRefused = result.outcome === "refused" && result.code === "ILLEGAL_TRANSITION";
  if (!isRefused) return { status: "applied", programId };
  return { status: "rejected", programId, reason: "The deposit, or too much of it, is returned already." };
}

/** A part of the key. */
export function partOf({ returnId, amountMinor }: Omit<ReportedReturn, "origin">): string {
  if (returnId !== undefined) return `#id:${returnId}`;
  return amountMinor === undefined ? "" : `#amount:${amountMinor}`;
}
