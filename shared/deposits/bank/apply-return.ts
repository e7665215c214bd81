import type { BankReturned } from "../../contract/bank.ts";
import { sha256 } from "../../platform/sha256.ts";
import { transact } from "../../platform/table/transact.ts";
import {
  type BankReturn,
  bankReturns,
  chooseReturned,
  giveBack,
  isGivenBack,
  waitingReturns,
} from "./give-back.ts";
import { type BankOutcome, type BankPayment, findNamed, namesIn } from "./payment.ts";

/**
 * Takes a deposit back, once. Of several that it can be of, none. Without one, it waits for it.
 * @throws ContendedError
 */
export async function applyReturn(
  event: BankReturned,
  programId: string | undefined,
  origin: string,
): Promise<BankOutcome> {
  const returned = toReturn(event, programId, origin);
  const before = await bankReturns.at(returned.returnKey).get();
  if (before?.takenBy !== undefined)
    return { status: before.origin === origin ? "applied" : "duplicate", programId: before.programId ?? "" };
  if (event.group) return returnGroup(returned, event.group);
  return (await give(returned)) ?? wait(returned);
}

function toReturn(event: BankReturned, programId: string | undefined, origin: string): BankReturn {
  const { account, references, returnId, amount: amountMinor, currency, place, report } = event;
  const facts = [programId ?? "*", returnId, amountMinor, currency, Object.entries(references).toSorted()];
  return {
    returnKey: sha256(JSON.stringify(facts)),
    ...{ origin, references, returnId, programId, account, amountMinor, currency, report },
    isOfEntry: place === undefined ? undefined : true,
  };
}

/** Undefined if no deposit that it can be of is known. */
async function give(returned: BankReturn): Promise<BankOutcome | undefined> {
  const found = await chooseReturned(returned);
  const [payment, ...others] = found;
  if (payment && others.length === 0) return giveBack(payment, returned);
  const reason = `${found.length} deposits have the references, account and amount that it names.`;
  return payment && { status: "rejected", reason, ...knownProgram(returned) };
}

const knownProgram = ({ programId }: BankReturn) => (programId === undefined ? {} : { programId });

/** It waits for its deposit, unless that is known by then. */
async function wait(returned: BankReturn): Promise<BankOutcome> {
  const { programId, returnKey, references, amountMinor } = returned;
  const known = knownProgram(returned);
  const names = namesIn({ ...references, message: undefined });
  const { payments } = await findNamed(names, 1, programId);
  const what =
    payments.length === 0
      ? "It names no known deposit."
      : "A deposit has one of its references, but not all of them, or another account, amount or currency.";
  const { endToEnd, transaction, accountServicer, uetr } = references;
  const isNamed = endToEnd !== undefined && (transaction ?? accountServicer ?? uetr) !== undefined;
  const isClear = programId !== undefined || (amountMinor !== undefined && isNamed);
  if (names.length === 0 || !isClear) {
    const advice =
      "Without the account, it is not remembered: send it again with the account, or after its deposit.";
    return { status: "rejected", reason: `${what} ${advice}`, ...known };
  }
  await transact([
    bankReturns.at(returnKey).put(returned),
    ...names.map((name) => waitingReturns.at(name, returnKey).put({ returnKey })),
  ]);
  const reason = `${what} If the deposit comes, it is returned at once.`;
  return (await give(returned)) ?? { status: "rejected", reason, ...known };
}

const mostInGroup = 1_000;

/** All deposits of a message, if their number and sum are the group's, and none went back. */
async function returnGroup(
  returned: BankReturn,
  { transactions }: NonNullable<BankReturned["group"]>,
): Promise<BankOutcome> {
  const { programId, account, references, returnKey, origin } = returned;
  const { message = "" } = references;
  const { payments } = await findNamed([message], mostInGroup, programId);
  const group = payments.filter(
    (one) => one.references.message === message && (account === undefined || one.account === account),
  );
  const reason = await findObstacle(group, returned, transactions);
  if (reason !== undefined) return { status: "rejected", reason, ...knownProgram(returned) };
  const known = { programId: group[0]?.programId ?? "" };
  const left: string[] = [];
  for (const payment of group) {
    const { status } = await giveBack(payment, ofOne(returned, payment));
    if (status === "rejected") left.push(payment.depositId);
  }
  if (left.length > 0) return { status: "rejected", reason: describeLeft(left, group.length), ...known };
  const before = await bankReturns.at(returnKey).createNow({ ...returned, ...known, takenBy: message });
  return { status: before && before.origin !== origin ? "duplicate" : "applied", ...known };
}

function describeLeft(left: readonly string[], deposits: number): string {
  const named = left.slice(0, 10).join(", ");
  return `GrpRtr: ${deposits - left.length} of ${deposits} deposits went back. Not these, of which a part was returned before: ${named}.`;
}

/** A repetition goes on with those that are left. */
function ofOne({ returnKey, origin, references }: BankReturn, payment: BankPayment): BankReturn {
  const { programId, depositId, amountMinor, currency } = payment;
  const own = { returnKey: sha256(`${returnKey}:${depositId}`), programId, amountMinor, currency };
  return { ...own, origin, references };
}

async function findObstacle(
  group: readonly BankPayment[],
  returned: BankReturn,
  transactions: number | undefined,
): Promise<string | undefined> {
  const { amountMinor, currency } = returned;
  const sum = group.reduce((total, one) => total + one.amountMinor, 0);
  const accounts = new Set(group.map((one) => `${one.programId} ${one.account}`));
  if (group.length === 0) return "GrpRtr: no deposit of this message is known.";
  if (accounts.size > 1) return "GrpRtr: deposits of several accounts have this message.";
  if (transactions !== group.length || amountMinor !== sum || group.some((one) => one.currency !== currency))
    return `GrpRtr: ${group.length} deposits of this message are known, of ${sum} minor units together. Number and sum must agree.`;
  for (const payment of group) {
    const { takenBy } = (await bankReturns.at(ofOne(returned, payment).returnKey).get()) ?? {};
    if (takenBy === undefined && (await isGivenBack(payment)))
      return `GrpRtr: the deposit ${payment.depositId} is returned already.`;
  }
  return undefined;
}
