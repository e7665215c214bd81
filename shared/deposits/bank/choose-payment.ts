import { type BankPayment, type BankReturn, findNamed, namesIn } from "./payment.ts";

/** More deposits of one reference than that are not told apart by it. */
const mostNamed = 100;

/** The deposits that a return can be of: with the keys, account, amount and currency of both. */
export async function findReturned(returned: BankReturn): Promise<BankPayment[]> {
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

const ofPayer = ["endToEnd", "instruction", "clearing"] as const;

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
function contradicts(
  { references: one, isOfEntry }: BankReturn,
  { references: other }: BankPayment,
): boolean {
  const kinds = isOfEntry
    ? (["endToEnd", "instruction", "uetr"] as const)
    : ([...ofPayer, "uetr", "message"] as const);
  if (kinds.some((kind) => differs(one[kind], other[kind]))) return true;
  return differs(one.transaction, other.transaction) && one.transaction !== other.accountServicer;
}

const differs = (one: string | undefined, other: string | undefined) =>
  one !== undefined && other !== undefined && one !== other;
