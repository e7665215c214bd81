import * as z from "zod";
import { type Change, later, type StepRefusal, type Unread, unread } from "../../changes/change.ts";
import { execute } from "../../changes/execute.ts";
import { BankReferences } from "../../contract/bank.ts";
import { countDecimals, toDecimal } from "../../contract/currencies.ts";
import { DepositStatus } from "../../contract/enums.ts";
import { keepRefused } from "../../platform/refused/refused-input.ts";
import { readBatch } from "../../platform/table/batch.ts";
import { absent, any, isNew } from "../../platform/table/condition.ts";
import { defineEntity } from "../../platform/table/entity.ts";
import { accountReads, type FoundAccount } from "../arrival.ts";
import { deposits } from "../deposit.ts";
import { depositReads, type FoundDeposit, findRecord, settle } from "../known-deposit.ts";
import { isOpen } from "../settle-suspense.ts";
import { suspenseItems } from "../suspense.ts";
import {
  type BankOutcome,
  type BankPayment,
  bankPayments,
  differs,
  findNamed,
  namesIn,
  ofPayer,
} from "./payment.ts";

/** A return: of a deposit, or before it is known. */
const BankReturn = z.object({
  returnKey: z.string(),
  origin: z.string(),
  programId: z.string().optional(),
  account: z.string().optional(),
  references: BankReferences,
  returnId: z.string().optional(),
  isOfEntry: z.boolean().optional(),
  /** The kind of report that has the entry. */
  report: z.string().optional(),
  amountMinor: z.int().optional(),
  currency: z.string().optional(),
  /** The deposit that it takes back: no other one. */
  takenBy: z.string().optional(),
});
export type BankReturn = Readonly<z.output<typeof BankReturn>>;

export const bankReturns = defineEntity({
  name: "bank return",
  schema: BankReturn,
  key: (returnKey: string) => ({ pk: `BANK_RETURN#${returnKey}`, sk: "RETURN" }),
});

/** Leads from what a return calls its deposit to the return, which came first. */
export const waitingReturns = defineEntity({
  name: "waiting return",
  schema: z.object({ returnKey: z.string() }),
  key: (name: string, returnKey: string) => ({ pk: `BANK#${name}`, sk: `RETURN#${returnKey}` }),
});

/** Takes the return's amount back from its deposit, once, in the commit that notes it. */
export async function giveBack(
  { programId, depositId }: BankPayment,
  returned: BankReturn,
): Promise<BankOutcome> {
  const outcome = await execute(givenBack, { programId, depositId, returned });
  if ("answer" in outcome) return outcome.answer;
  return { status: "rejected", programId, reason: "The deposit, or too much of it, is returned already." };
}

interface GivenBack {
  readonly programId: string;
  readonly depositId: string;
  readonly returned: BankReturn;
}

interface Found extends FoundDeposit, Pick<FoundAccount, "account"> {
  readonly "bank return": BankReturn | undefined | Unread;
  readonly "bank payment": BankPayment | undefined;
}

const givenBack: Change<GivenBack, Found, BankOutcome, StepRefusal> = {
  reads: ({ programId, depositId, returned }) => ({
    ...depositReads(programId, depositId),
    account: accountReads.account,
    "bank return": later(bankReturns.at(returned.returnKey)),
    "bank payment": bankPayments.at(programId, depositId),
  }),
  decide: ({ programId, depositId, returned }, found, at) => {
    const { returnKey, returnId, isOfEntry, report, amountMinor, origin } = returned;
    const noted = found["bank return"];
    if (noted !== unread && noted?.takenBy !== undefined)
      return { done: { status: noted.origin === origin ? "applied" : "duplicate", programId } };
    const payment = found["bank payment"];
    if (!payment) throw new Error(`No bank has reported the deposit ${depositId}.`);
    const { returns: before = [] } = payment;
    const note = (returns: readonly Told[]) =>
      bankPayments
        .at(programId, depositId)
        .update({ set: { returns: returns.slice(-mostReturns) } }, { returns: payment.returns ?? absent });
    const told = findTold(before, returned);
    if (told) {
      const status = "duplicate";
      if (told.isOfEntry === returned.isOfEntry || told.alsoKey) return { done: { status, programId } };
      const returns = before.map((one) => (one === told ? { ...one, alsoKey: returnKey } : one));
      return { writes: [note(returns)], answer: { status, programId } };
    }
    if (before.some((one) => isUnclear(one, returned)))
      return { done: { status: "rejected", programId, reason: unclear } };
    const known = findRecord({ programId, depositId }, found);
    if ("readMore" in known) return known;
    const { record } = known;
    const decided = record
      ? settle(record, "return", at, found, amountMinor)
      : ({ rejected: "NOT_FOUND" } as const);
    // It may be this return that took it.
    if ("rejected" in decided)
      return noted === unread ? { readMore: { "bank return": bankReturns.at(returnKey) } } : decided;
    const taken = { ...returned, programId, takenBy: depositId };
    const isFree = any<BankReturn>(isNew, { takenBy: absent });
    const writes = [
      ...decided.writes,
      bankReturns.at(returnKey).put(taken, isFree),
      note([...before, { returnKey, returnId, isOfEntry, report, amountMinor }]),
    ];
    return { ...decided, writes, answer: { status: "applied", programId } };
  },
};

/** Returns that are remembered of one deposit. */
const mostReturns = 20;

type Told = NonNullable<BankPayment["returns"]>[number];

/** An entry and a message tell of one return by names of their own: each of one of the other. */
function findTold(before: readonly Told[], { returnKey, returnId, isOfEntry, amountMinor }: BankReturn) {
  const alike = before.filter(
    (one) => one.returnKey !== returnKey && amountMinor !== undefined && one.amountMinor === amountMinor,
  );
  return (
    alike.find((one) => one.alsoKey === returnKey) ??
    alike.find((one) => returnId !== undefined && one.returnId === returnId) ??
    alike.find((one) => one.isOfEntry !== isOfEntry && one.alsoKey === undefined)
  );
}

/** Two kinds of report may call one entry by two references of the bank's. */
function isUnclear(one: Told, { amountMinor, returnKey, report }: BankReturn): boolean {
  return one.returnKey !== returnKey && one.amountMinor === amountMinor && differs(one.report, report);
}

const unclear = "It may be a return of which another kind of report has told. Compare them with the account.";

/** Whether nothing is left of it, on its account or in suspense. */
export async function isGivenBack({ programId, depositId }: BankPayment): Promise<boolean> {
  const [deposit, suspended] = await Promise.all([
    deposits.at(programId, depositId).get(),
    suspenseItems.at(programId, depositId).get(),
  ]);
  if (deposit) return deposit.status === DepositStatus.returned;
  return suspended !== undefined && !isOpen(suspended);
}

/** If there are several, that of which another report has told, else those with something left. */
export async function chooseReturned(returned: BankReturn): Promise<BankPayment[]> {
  const found = await findReturned(returned);
  if (found.length < 2) return found;
  const told =
    found.find(({ returns = [] }) => findTold(returns, returned)) ??
    found.find(({ returns = [] }) => returns.some((one) => isUnclear(one, returned)));
  if (told) return [told];
  const gone = await Promise.all(found.map(isGivenBack));
  const left = found.filter((_, index) => !gone[index]);
  return left.length > 0 ? left : found;
}

/**
 * Takes back from a deposit what was returned before it came. A return is written before it looks
 * for its deposit, which is booked before it looks for returns.
 */
export async function returnEarly(payment: BankPayment): Promise<void> {
  const names = namesIn({ ...payment.references, message: undefined });
  const found = (await Promise.all(names.map((name) => waitingReturns.list(name)))).flat();
  const keys = new Set(found.map((one) => one.returnKey));
  for (const item of await readBatch([...keys].map((key) => bankReturns.key(key)))) {
    const returned = bankReturns.parse(item);
    if (returned.takenBy !== undefined || !isReturnOf(returned, payment, new Set())) continue;
    const [chosen, ...others] = await chooseReturned(returned);
    if (chosen?.depositId !== payment.depositId || others.length > 0) continue;
    const given = await giveBack(chosen, returned);
    if (given.status === "rejected") await tell(chosen, returned, given.reason);
  }
}

/** When it came, it was said to be returned with its deposit. Once, however often that is told. */
async function tell(
  { programId, depositId, currency }: BankPayment,
  { returnKey, amountMinor, references }: BankReturn,
  why: string,
): Promise<void> {
  const amount = amountMinor && `${toDecimal(amountMinor, countDecimals(currency))} ${currency}: `;
  const reason = `A return that came before its deposit ${depositId} is not booked. ${amount ?? ""}${why}`;
  const input = JSON.stringify({ depositId, references, amountMinor });
  await keepRefused({ port: "bank", reason, input, programId, identity: returnKey });
}

/** More deposits of one reference than that are not told apart by it. */
const mostNamed = 100;

/** The deposits that a return can be of: with the keys, account, amount and currency of both. */
async function findReturned(returned: BankReturn): Promise<BankPayment[]> {
  const { message: _, ...references } = returned.references;
  const { payments, counts } = await findNamed(namesIn(references), mostNamed + 1, returned.programId);
  const unclear = new Set([...counts].filter(([, count]) => count > mostNamed).map(([name]) => name));
  const possible = payments.filter((one) => isReturnOf(returned, one, unclear));
  const exact = possible.filter(({ amountMinor }) => amountMinor === returned.amountMinor);
  const found = exact.length > 0 ? exact : possible;
  const identified = found.filter((one) => isIdentified(returned, one));
  return identified.length > 0 ? identified : found;
}

function isReturnOf(returned: BankReturn, known: BankPayment, unclear: ReadonlySet<string>): boolean {
  const { programId, account, amountMinor, currency, references } = returned;
  if (programId !== undefined && known.programId !== programId) return false;
  if (account !== undefined && known.account !== undefined && known.account !== account) return false;
  if (currency !== undefined && known.currency !== currency) return false;
  if (contradicts(returned, known)) return false;
  const isWhole = amountMinor === known.amountMinor;
  if (amountMinor !== undefined && amountMinor > known.amountMinor) return false;
  const isNamed = isIdentified(returned, known) || sharesPayers(returned, known, unclear);
  // A part, or what has no amount, is of a deposit that is named with certainty.
  if (!isNamed || !(isWhole || isIdentified(returned, known))) return false;
  if (programId !== undefined) return true;
  // Without account and Program: another bank may use the same references.
  const { endToEnd = known.references.endToEnd, transaction, uetr } = references;
  if (endToEnd !== known.references.endToEnd) return false;
  if (isIdentified(returned, known)) return true;
  return isWhole && currency !== undefined && transaction === undefined && uetr === undefined;
}

/** Banks write their own reference in place of the transaction's, and the other way round. */
function isIdentified({ references: one }: BankReturn, { references: other }: BankPayment): boolean {
  const known = [other.transaction, other.accountServicer].filter((name) => name !== undefined);
  const isOwn = [one.transaction, one.accountServicer].some(
    (name) => name !== undefined && known.includes(name),
  );
  return isOwn || (one.uetr !== undefined && one.uetr === other.uetr);
}

function sharesPayers(
  { references: one }: BankReturn,
  { references: other }: BankPayment,
  unclear: ReadonlySet<string>,
): boolean {
  return ofPayer.some((kind) => {
    const name = one[kind];
    return name !== undefined && name === other[kind] && !unclear.has(name);
  });
}

/** Every key of both must be the same. An entry has the references of the return itself. */
function contradicts({ references: one, isOfEntry }: BankReturn, { references: other }: BankPayment) {
  const kinds = isOfEntry
    ? (["endToEnd", "instruction", "uetr"] as const)
    : ([...ofPayer, "uetr", "message"] as const);
  if (kinds.some((kind) => differs(one[kind], other[kind]))) return true;
  return differs(one.transaction, other.transaction) && one.transaction !== other.accountServicer;
}
