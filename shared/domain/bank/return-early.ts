import { keepRefused } from "../../platform/refused/refused-input.ts";
import { absent, any } from "../../platform/table/condition.ts";
import { findProgramOfAccount } from "../../tenancy/programs/bank-account.ts";
import { agreesWith, contradiction, giveBack } from "./give-back.ts";
import {
  mayBeOn,
  type ReportedDeposit,
  type ReportedReturn,
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
  const isMeant = await isOf(deposit, returned);
  if (!isMeant) return;
  const reason = contradiction(returned, deposit);
  if (reason === undefined && !(await take(place, deposit))) return;
  const outcome = await giveBack(deposit, returned, returned.origin);
  // Of one that was taken before, it is known.
  if (outcome.status !== "rejected" || returned.takenBy !== undefined) return;
  const input = JSON.stringify({ bankReference: deposit.bankReference, ...returned });
  const { programId } = deposit;
  await keepRefused({ port: "bank", reason: `A return came early. ${outcome.reason}`, input, programId });
}

async function isOf(deposit: ReportedDeposit, returned: ReportedReturn): Promise<boolean> {
  const [place] = placeAndPart(returned);
  if (place === anyPlace) return agreesWith(returned, deposit);
  if ([deposit.account, deposit.programId].includes(place)) return true;
  if (!mayBeOn(deposit, place)) return false;
  return (await findProgramOfAccount(place))?.programId === deposit.programId;
}

/** False if another deposit has taken it. */
export async function take(place: Place, { account, bankReference }: ReportedDeposit): Promise<boolean> {
  const takenBy = place.key.pk === `BANK#${bankReference}` ? account : `${account}#${bankReference}`;
  const isFree = any<{ takenBy?: string | undefined }>({ takenBy: absent }, { takenBy });
  return (await place.updateNow({ set: { takenBy } }, isFree)).updated;
}
