import type { BankReturned } from "../../contract/bank.ts";
import { findProgramOfAccount } from "../../tenancy/programs/bank-account.ts";
import type { BankOutcome, BankReport } from "./apply-bank-event.ts";
import {
  agreesWith,
  chooseWithoutAccount,
  contradictionWithoutAccount,
  describeSeveral,
} from "./choose-deposit.ts";
import { giveBack, partOf } from "./give-back.ts";
import {
  depositsEndToEnd,
  mayBeOn,
  type ReportedDeposit,
  type ReportedReturn,
  reportedDeposits,
  reportedReturns,
  returnsEndToEnd,
} from "./reported.ts";
import { anyPlace, take, takerIn } from "./return-early.ts";

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
  const named = await findNamed(event, programId);
  const place = placeOf(event, programId, returned);
  // Without the account, another deposit may agree with it later: one alone takes it.
  const isOfOne = programId === undefined && place !== undefined;
  const taker = isOfOne ? await findTaker(place, named) : undefined;
  if (taker) return giveBack(taker, returned, report.origin);
  const [deposit, ...others] = choose(named, returned, event, programId);
  if (others.length > 0)
    return { status: "rejected", reason: describeSeveral(others.length + 1, programId !== undefined) };
  if (deposit && !isOfOne) return giveBack(deposit, returned, report.origin);
  const shared = deposit ? undefined : named.find(({ amountMinor: minor }) => minor === 0);
  if (shared) return giveBack(shared, returned, report.origin);
  if (place) return remember(place, event, programId, returned);
  return { status: "rejected", reason: describeUnknown(returned, named) };
}

async function findProgramId(account: string | undefined): Promise<string | undefined> {
  return account === undefined ? undefined : (await findProgramOfAccount(account))?.programId;
}

type Place = NonNullable<ReturnType<typeof placeOf>>;

/** The deposit that has taken it, whatever came since. */
async function findTaker(
  place: Place,
  named: readonly ReportedDeposit[],
): Promise<ReportedDeposit | undefined> {
  const { takenBy } = (await place.get()) ?? {};
  return takenBy === undefined ? undefined : named.find((one) => takerIn(place, one) === takenBy);
}

/** For the deposit that comes, unless it is known by then. */
async function remember(
  place: Place,
  event: BankReturned,
  programId: string | undefined,
  returned: ReportedReturn,
): Promise<BankOutcome> {
  await place.createNow(returned);
  const named = await findNamed(event, programId);
  const [deposit, ...others] = choose(named, returned, event, programId);
  if (others.length > 0)
    return { status: "rejected", reason: describeSeveral(others.length + 1, programId !== undefined) };
  if (!deposit) return { status: "rejected", reason: describeStored(returned, named) };
  if (await take(place, deposit)) return giveBack(deposit, returned, returned.origin);
  return { status: "duplicate", programId: deposit.programId };
}

function describeStored(returned: ReportedReturn, [deposit]: readonly ReportedDeposit[]): string {
  const reason = deposit && contradictionWithoutAccount(returned, deposit);
  if (reason === undefined) return "It names no known deposit. If the deposit comes, it is returned at once.";
  return `${reason} It is stored for another deposit of its reference.`;
}

function describeUnknown(returned: ReportedReturn, [deposit]: readonly ReportedDeposit[]): string {
  const reason = deposit && contradictionWithoutAccount(returned, deposit);
  if (reason !== undefined) return reason;
  const known = deposit ? "Another bank's deposit may have its EndToEndId." : "It names no known deposit.";
  return `${known} Without the account, it is not remembered: send it again with the account, or after its deposit.`;
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

/** By the bank's reference. Only without one by the payer's. */
async function findNamed(
  { bankReference, endToEndId, account }: BankReturned,
  programId: string | undefined,
): Promise<ReportedDeposit[]> {
  const found =
    bankReference === undefined ? await findByPayer(endToEndId) : await reportedDeposits.list(bankReference);
  if (programId === undefined) return found;
  return found.filter((one) => one.programId === programId && mayBeOn(one, account));
}

/** Without account and Program, the payer's reference says too little: all must agree. */
function choose(
  named: readonly ReportedDeposit[],
  returned: ReportedReturn,
  { bankReference }: BankReturned,
  programId: string | undefined,
): ReportedDeposit[] {
  const deposits = named.filter(({ amountMinor }) => amountMinor > 0);
  if (programId !== undefined) return deposits;
  if (bankReference !== undefined) return chooseWithoutAccount(deposits, returned);
  return deposits.filter((one) => agreesWith(returned, one));
}

async function findByPayer(endToEndId: string | undefined): Promise<ReportedDeposit[]> {
  if (endToEndId === undefined) return [];
  const places = await depositsEndToEnd.list(endToEndId);
  const found = await Promise.all(
    places.map((place) => reportedDeposits.at(place.bankReference, place.account).get()),
  );
  return found.filter((one) => one !== undefined);
}
