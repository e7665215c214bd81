import type { BankReturned } from "../../contract/bank.ts";
import { sha256 } from "../../platform/sha256.ts";
import { giveBack, isGivenBack } from "./give-back.ts";
import { type BankPayment, type BankReturn, bankReturns, findNamed } from "./payment.ts";
import type { BankOutcome } from "./report.ts";

const mostInGroup = 1_000;

/** All deposits of a message, if their number and sum are the group's, and none went back. */
export async function returnGroup(
  returned: BankReturn,
  { transactions }: NonNullable<BankReturned["group"]>,
): Promise<BankOutcome> {
  const { programId, account, references, amountMinor, currency, returnKey, origin } = returned;
  const { message = "" } = references;
  const { payments } = await findNamed([message], mostInGroup, programId);
  const group = payments.filter(
    (one) => one.references.message === message && (account === undefined || one.account === account),
  );
  const reason = await findObstacle(group, returned, { transactions, amountMinor, currency });
  if (reason !== undefined)
    return { status: "rejected", reason, ...(programId !== undefined && { programId }) };
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
  return {
    returnKey: sha256(`${returnKey}:${depositId}`),
    origin,
    references,
    programId,
    amountMinor,
    currency,
  };
}

async function findObstacle(
  group: readonly BankPayment[],
  returned: BankReturn,
  {
    transactions,
    amountMinor,
    currency,
  }: { transactions?: number | undefined } & Partial<Pick<BankReturn, "amountMinor" | "currency">>,
): Promise<string | undefined> {
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
