import type { ReportedDeposit, ReportedReturn } from "./reported.ts";

/**
 * By the bank's reference alone, without account and Program: two banks may use the same one. All
 * must agree, unless a single deposit of the reference can be meant.
 */
export function chooseWithoutAccount(
  named: readonly ReportedDeposit[],
  returned: ReportedReturn,
): ReportedDeposit[] {
  const possible = named.filter((one) => contradictionWithoutAccount(returned, one) === undefined);
  const agreeing = possible.filter((one) => agreesWith(returned, one));
  return agreeing.length > 0 ? agreeing : possible;
}

/** Another bank's deposit may have no EndToEndId: one that the return has must be the deposit's. */
export function contradictionWithoutAccount(
  returned: ReportedReturn,
  deposit: ReportedDeposit,
): string | undefined {
  const reason = contradiction(returned, deposit);
  const { endToEndId } = returned;
  if (reason !== undefined || endToEndId === undefined || deposit.endToEndId !== undefined) return reason;
  return `It names EndToEndId ${endToEndId}, but the deposit has none. Without the account, they must be the same.`;
}

export function describeSeveral(deposits: number, hasAccount: boolean): string {
  const several = `${deposits} deposits have the EndToEndId or reference that it names.`;
  if (hasAccount) return several;
  return `${several} Without the account, it must have the amount, currency and EndToEndId of one of them.`;
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
