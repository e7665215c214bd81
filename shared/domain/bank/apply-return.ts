import type { BankReturned } from "../../contract/bank.ts";
import { findProgramOfAccount } from "../../tenancy/programs/bank-account.ts";
import type { BankOutcome, BankReport } from "./apply-bank-event.ts";
import { agreesWith, giveBack, partOf } from "./give-back.ts";
import {
  depositsEndToEnd,
  mayBeOn,
  type ReportedDeposit,
  type ReportedReturn,
  reportedDeposits,
  reportedReturns,
  returnsEndToEnd,
} from "./reported.ts";
import { anyPlace, take } from "./return-early.ts";

type Report = Omit<BankReport, "event">;

export async function applyReturn(event: BankReturned, report: Report): Promise<BankOutcome> {
  const { account, amount: amountMinor, endToEndId, returnId, currency } = event;
  const programId = report.programId ?? (await findProgramId(account));
  if (account !== undefined && programId === undefined)
    return { status: "rejected", reason: `No Program collects on ${account}.` };
  const returned = {
    origin: report.origin,
    ...(returnId !== undefined && { returnId }),
    ...(endToEndId !== undefined && { endToEndId }),
    ...(amountMinor !== undefined && { amountMinor, currency }),
  };
  const found = await findDeposits(event, programId);
  if (found.length > 1) {
    const reason = `${found.length} deposits have the EndToEndId or reference that it names.`;
    return { status: "rejected", reason };
  }
  const [deposit] = found;
  return deposit ? giveBack(deposit, returned, report.origin) : applyEarly(event, programId, returned);
}

async function findProgramId(account: string | undefined): Promise<string | undefined> {
  return account === undefined ? undefined : (await findProgramOfAccount(account))?.programId;
}

/** Remembers it, unless its deposit was reported meanwhile. */
async function applyEarly(
  event: BankReturned,
  programId: string | undefined,
  returned: ReportedReturn,
): Promise<BankOutcome> {
  const place = placeOf(event, programId, returned);
  if (!place)
    return {
      status: "rejected",
      reason: "Without the account, a known deposit must have its amount, currency and EndToEndId.",
    };
  await place.createNow(returned);
  const [deposit, ...others] = await findDeposits(event, programId);
  if (!deposit || others.length > 0) {
    const reason = "It names no known deposit. If the deposit comes, it is returned at once.";
    return { status: "rejected", reason };
  }
  if (await take(place, deposit)) return giveBack(deposit, returned, returned.origin);
  return { status: "duplicate", programId: deposit.programId };
}

/** Undefined if a deposit of any Program with the same EndToEndId could be meant. */
function placeOf(event: BankReturned, programId: string | undefined, returned: ReportedReturn) {
  const { bankReference, endToEndId, amount } = event;
  const place = event.account ?? programId;
  if (place === undefined && (endToEndId === undefined || amount === undefined)) return undefined;
  if (bankReference !== undefined)
    return reportedReturns.at(bankReference, place ?? anyPlace, partOf(returned));
  if (endToEndId === undefined || place === undefined) return undefined;
  return returnsEndToEnd.at(endToEndId, place, partOf(returned));
}

/** By the bank's reference. Only without one by the payer's. References of banks may be alike. */
async function findDeposits(
  { bankReference, endToEndId, account, amount, currency }: BankReturned,
  programId: string | undefined,
): Promise<ReportedDeposit[]> {
  const found =
    bankReference === undefined ? await findByPayer(endToEndId) : await reportedDeposits.list(bankReference);
  const isMeant = (one: ReportedDeposit) => one.amountMinor > 0 && isOf(one);
  const isOf = (one: ReportedDeposit) =>
    programId === undefined
      ? agreesWith({ amountMinor: amount, currency, endToEndId }, one)
      : one.programId === programId && mayBeOn(one, account);
  return found.filter(isMeant);
}

async function findByPayer(endToEndId: string | undefined): Promise<ReportedDeposit[]> {
  if (endToEndId === undefined) return [];
  const places = await depositsEndToEnd.list(endToEndId);
  const found = await Promise.all(
    places.map((place) => reportedDeposits.at(place.bankReference, place.account).get()),
  );
  return found.filter((one) => one !== undefined);
}
