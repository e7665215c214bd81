import type { BankDeposited } from "../../contract/bank.ts";
import { newId } from "../../platform/id.ts";
import { absent, any } from "../../platform/table/condition.ts";
import { bookedOnOf, depositsEndToEnd, mayBeOn, type ReportedDeposit, reportedDeposits } from "./reported.ts";
import { returnEarly } from "./return-early.ts";

/**
 * The deposit that a report is about: a new one, or what was reported before. A Program has one
 * deposit of a bank's reference, or one on each account where files name it: of several banks.
 */
export async function claimDeposit(
  event: BankDeposited,
  programId: string,
  origin: string,
): Promise<ReportedDeposit> {
  const { bankReference, account, endToEndId, amount: amountMinor, currency } = event;
  const known = (await reportedDeposits.list(bankReference)).filter((one) => one.programId === programId);
  const found = choose(event, known);
  if (found) return (await nameAccount(event, found)) ?? claimDeposit(event, programId, origin);
  const isSecond = known.some((one) => one.account === programId);
  const claim = {
    programId,
    depositId: newId("deposit"),
    account: isSecond && account !== undefined ? account : programId,
    bankReference,
    origin,
    amountMinor,
    currency,
    ...(account !== undefined && { bookedOn: account }),
    ...(endToEndId !== undefined && { endToEndId }),
  };
  const before = await reportedDeposits.at(bankReference, claim.account).createNow(claim);
  // Reported at the same time, perhaps of another account.
  return before ? claimDeposit(event, programId, origin) : claim;
}

/**
 * Claims the reference that several deposits share, so that none is credited once more as a whole.
 * Returns why the deposit cannot be one of them.
 */
export async function claimDivided(
  { dividedReference, endToEndId: _, ...event }: BankDeposited,
  programId: string,
  origin: string,
): Promise<string | undefined> {
  if (dividedReference === undefined) return undefined;
  const whole = { ...event, bankReference: dividedReference, amount: 0 };
  const claimed = await claimDeposit(whole, programId, origin);
  // A return that named it before can take back none: it is kept for the operator.
  if (claimed.amountMinor === 0 && claimed.origin === origin) await returnEarly(claimed);
  return claimed.amountMinor === 0 ? undefined : describeKnown(claimed);
}

export function describeKnown({ bankReference, amountMinor, currency }: ReportedDeposit): string {
  if (amountMinor === 0) return `${bankReference} was reported before, as several deposits.`;
  return `${bankReference} was reported before, with ${amountMinor} minor units of ${currency}.`;
}

function choose(event: BankDeposited, known: readonly ReportedDeposit[]): ReportedDeposit | undefined {
  const { account } = event;
  const possible = known.filter((one) => mayBeOn(one, account));
  return (
    possible.find((one) => account !== undefined && bookedOnOf(one) === account) ??
    possible.find((one) => describesSame(event, one)) ??
    possible[0]
  );
}

/** A file names the account of a webhook's deposit. Undefined if another file named another one. */
async function nameAccount(
  event: BankDeposited,
  deposit: ReportedDeposit,
): Promise<ReportedDeposit | undefined> {
  const { account: bookedOn, endToEndId = deposit.endToEndId } = event;
  if (bookedOn === undefined || bookedOnOf(deposit) === bookedOn || !describesSame(event, deposit))
    return deposit;
  const { bankReference, account } = deposit;
  const set = { bookedOn, ...(endToEndId !== undefined && { endToEndId }) };
  const isFree = any<ReportedDeposit>({ bookedOn: absent }, { bookedOn });
  const named = await reportedDeposits.at(bankReference, account).updateNow({ set }, isFree);
  return named.updated ? named.item : undefined;
}

export function describesSame({ amount, currency }: BankDeposited, deposit: ReportedDeposit): boolean {
  return amount === deposit.amountMinor && currency === deposit.currency;
}

/** Before the deposit clears: a return by the payer's reference then finds it, or is found. */
export async function recordPayerReference(
  { endToEndId }: BankDeposited,
  { account, bankReference }: ReportedDeposit,
): Promise<void> {
  if (endToEndId === undefined) return;
  await depositsEndToEnd.at(endToEndId, account, bankReference).createNow({ account, bankReference });
}
