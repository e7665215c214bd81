import { applyEvent } from "../network/execute-event.ts";
import type { BankOutcome } from "./apply-bank-event.ts";
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

/** Without account and Program, several deposits may be meant: all that is known must agree. */
export function agreesWith(
  { amountMinor, currency, endToEndId }: Omit<ReportedReturn, "origin">,
  deposit: ReportedDeposit,
): boolean {
  const isSame = amountMinor === deposit.amountMinor && currency === deposit.currency;
  return isSame && endToEndId !== undefined && endToEndId === deposit.endToEndId;
}

/** Why it cannot be a return of the deposit. */
export function contradiction(
  { amountMinor: minor, currency, endToEndId }: ReportedReturn,
  deposit: ReportedDeposit,
): string | undefined {
  const { bankReference } = deposit;
  if (deposit.amountMinor === 0)
    return `${bankReference} is the reference of several deposits. Name one of them: ${bankReference}#1, ${bankReference}#2, ….`;
  if ((endToEndId ?? deposit.endToEndId) !== (deposit.endToEndId ?? endToEndId))
    return `It names EndToEndId ${endToEndId}, but the deposit has ${deposit.endToEndId}.`;
  const isPossible =
    (minor ?? 0) <= deposit.amountMinor && (currency ?? deposit.currency) === deposit.currency;
  if (isPossible) return undefined;
  const of = `${deposit.amountMinor} minor units of ${deposit.currency}`;
  return `It returns ${minor} minor units of ${currency}, but the deposit is ${of}.`;
}
