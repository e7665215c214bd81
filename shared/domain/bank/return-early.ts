import { keepRefused } from "../../platform/refused/refused-input.ts";
import { absent, any } from "../../platform/table/condition.ts";
import { findProgramOfAccount } from "../../tenancy/programs/bank-account.ts";
import {
  chooseWithoutAccount,
  contradiction,
  contradictionWithoutAccount,
  describeSeveral,
} from "./choose-deposit.ts";
import { giveBack } from "./give-back.ts";
import {
  mayBeOn,
  type ReportedDeposit,
  type ReportedReturn,
  reportedDeposits,
  reportedReturns,
  returnsEndToEnd,
} from "./reported.ts";

/** The place of a return that names neither account nor Program. */
export const anyPlace = "*";

/**
 * Takes back from a deposit what was returned before it came. A return is written before it looks
 * for its deposit, which clears before it looks for returns.
 */
export async function returnEarly(deposit: ReportedDeposit, endToEndId = deposit.endToEndId): Promise<void> {
  const { bankReference } = deposit;
  const named = await reportedReturns.list(bankReference);
  for (const returned of named) await returnOne(deposit, returned, remembered(bankReference, returned));
  if (endToEndId === undefined) return;
  for (const returned of await returnsEndToEnd.list(endToEndId))
    await returnOne(deposit, returned, rememberedByPayer(endToEndId, returned));
}

type Place = ReturnType<typeof reportedReturns.at>;

const remembered = (bankReference: string, returned: ReportedReturn) =>
  reportedReturns.at(bankReference, ...placeAndPart(returned));

const rememberedByPayer = (endToEndId: string, returned: ReportedReturn) =>
  returnsEndToEnd.at(endToEndId, ...placeAndPart(returned));

function placeAndPart({ sk = "" }: ReportedReturn): [place: string, part: string] {
  const [, place = "", part = ""] = /^RETURN#([^#]*)(.*)$/s.exec(sk) ?? [];
  return [place, part];
}

async function returnOne(deposit: ReportedDeposit, returned: ReportedReturn, place: Place): Promise<void> {
  const { takenBy } = returned;
  if (takenBy === undefined) {
    const meant = await findMeant(deposit, returned);
    if (!meant.some(({ account }) => account === deposit.account)) return;
    const reason =
      meant.length > 1 ? describeSeveral(meant.length, false) : describeContradiction(deposit, returned);
    if (reason !== undefined) return keep(deposit, returned, reason);
    if (!(await take(place, deposit))) return;
  } else if (takenBy !== takerIn(place, deposit)) return;
  const outcome = await giveBack(deposit, returned, returned.origin);
  // Of one that was taken before, it is known.
  if (outcome.status === "rejected" && takenBy === undefined) await keep(deposit, returned, outcome.reason);
}

/** The deposits that it can be of. If there is none: this one, which contradicts it. */
async function findMeant(deposit: ReportedDeposit, returned: ReportedReturn): Promise<ReportedDeposit[]> {
  const [place] = placeAndPart(returned);
  if (place !== anyPlace) return (await isOf(deposit, place)) ? [deposit] : [];
  // Of the earlier layout: it was not to be remembered.
  if (returned.endToEndId === undefined || returned.amountMinor === undefined) return [];
  const chosen = chooseWithoutAccount(await reportedDeposits.list(deposit.bankReference), returned);
  return chosen.length > 0 ? chosen : [deposit];
}

function describeContradiction(deposit: ReportedDeposit, returned: ReportedReturn): string | undefined {
  const [place] = placeAndPart(returned);
  return (place === anyPlace ? contradictionWithoutAccount : contradiction)(returned, deposit);
}

/** Once, however often the deposit is reported. */
async function keep(deposit: ReportedDeposit, returned: ReportedReturn, because: string): Promise<void> {
  const { programId, account, bankReference } = deposit;
  const { takenBy: _, ...known } = returned;
  const input = JSON.stringify({ bankReference, ...known });
  const identity = `${input}\n${account}`;
  await keepRefused({ port: "bank", reason: `A return came early. ${because}`, input, programId, identity });
}

async function isOf(deposit: ReportedDeposit, place: string): Promise<boolean> {
  if ([deposit.account, deposit.programId].includes(place)) return true;
  if (!mayBeOn(deposit, place)) return false;
  return (await findProgramOfAccount(place))?.programId === deposit.programId;
}

/** How the place names the deposit. */
export function takerIn(place: Place, { account, bankReference }: ReportedDeposit): string {
  return place.key.pk === `BANK#${bankReference}` ? account : `${account}#${bankReference}`;
}

/** False if another deposit has taken it. */
export async function take(place: Place, deposit: ReportedDeposit): Promise<boolean> {
  const takenBy = takerIn(place, deposit);
  const isFree = any<{ takenBy?: string | undefined }>({ takenBy: absent }, { takenBy });
  return (await place.updateNow({ set: { takenBy } }, isFree)).updated;
}
