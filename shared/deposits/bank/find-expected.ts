import type { BankDeposited } from "../../contract/bank.ts";
import { fromDepositReference } from "../../contract/creditor-reference.ts";
import { currencyNames, DepositStatus } from "../../contract/enums.ts";
import type { Account } from "../../ledger/account.ts";
import { timestamp } from "../../platform/clock.ts";
import { readBatch } from "../../platform/table/batch.ts";
import { type Deposit, deposits } from "../deposit.ts";
import { byAccount, byReference, expectedDeposits, isAnnouncedFor, plainReference } from "../expected.ts";
import { findIds, findWritten } from "./match-account.ts";

const mostTried = 100;
const depositReference = /(?=(?<found>RF\d\d[0-9A-HJKMNP-Z]{21}))/g;

export interface Expected {
  readonly deposit: Deposit;
  /** Else another report has claimed it, or it has ended: what it says is the account. */
  readonly isOpen: boolean;
}

/**
 * The announced deposit that a report is about: by its creditor reference, its id, its reference,
 * or, if it is pending, by account and amount. Each is of one report alone.
 */
export async function findExpected(
  programId: string,
  event: BankDeposited,
  account: Account | undefined,
): Promise<Expected | undefined> {
  const [any] = await expectedDeposits.first(1, programId);
  const texts = [...(event.creditorReferences ?? []), ...event.remittance];
  const referenced = findWritten(texts, depositReference, fromDepositReference).map(({ id }) => id);
  const ids = [...new Set([...referenced, ...namedDeposits(texts)])];
  if (!any && ids.length === 0) return undefined;
  const named = namesIn(event);
  const amountMinor = event.amount;
  const names = [...named.map(byReference), ...(account ? [byAccount(account.accountId, amountMinor)] : [])];
  const found = await Promise.all(names.map((name) => expectedDeposits.first(mostTried, programId, name)));
  const order = [...ids, ...found.flat().map(({ depositId }) => depositId)];
  const keys = [...new Set(order)].map((depositId) => deposits.at(programId, depositId).key);
  const stored = keys.length === 0 ? [] : (await readBatch(keys)).map((item) => deposits.parse(item));
  const known = order
    .map((depositId) => stored.find((one) => one.depositId === depositId))
    .filter((one) => one !== undefined)
    .filter(({ expiresAt }) => expiresAt !== undefined);
  const open = known.filter((one) => isOpen(one, event));
  const isById = ({ depositId }: Deposit) => ids.includes(depositId);
  const isOfNamed = (one: Deposit) => account !== undefined && isAnnouncedFor(one, account.accountId);
  // A client chooses its reference: it takes nothing from the account that the payer names.
  const hasReference = (one: Deposit) => named.includes(plainReference(one.reference) ?? "");
  const isNamed = (one: Deposit) => isById(one) || (hasReference(one) && (!account || isOfNamed(one)));
  const isExact = (one: Deposit) => one.amountMinor === amountMinor;
  const byName = open.filter(isNamed);
  const claimed = byName.find(isById) ?? byName.find(isExact) ?? byName[0];
  if (claimed) return { deposit: claimed, isOpen: true };
  const over = known.filter(isNamed);
  const isOfOne = new Set(over.map((one) => one.account.accountId)).size === 1;
  if (over[0] && isOfOne) return { deposit: over[0], isOpen: false };
  const byAmount = open.find((one) => isOfNamed(one) && isExact(one) && isPending(one));
  return byAmount && { deposit: byAmount, isOpen: true };
}

const isPending = ({ status }: Deposit) => status === DepositStatus.pending;

/** What a simulated bank has cleared is the same money only if the amount is. */
function isOpen(deposit: Deposit, { amount, currency }: BankDeposited): boolean {
  const { status, expiresAt, isReported, amountMinor, returnedMinor } = deposit;
  if (expiresAt === undefined || isReported) return false;
  if (currencyNames[deposit.currency] !== currency) return false;
  const isSimulated = status === DepositStatus.cleared && amountMinor === amount && !returnedMinor;
  return isSimulated || (isPending(deposit) && timestamp() <= expiresAt);
}

const mostNames = 40;

/** Whole texts, and up to four words that follow each other: those with a digit first. */
function namesIn({ remittance, references }: BankDeposited): string[] {
  const texts = [...remittance, references.endToEnd ?? "", references.instruction ?? ""];
  const runs = remittance.flatMap((text) => {
    const words = text.split(/\s+/);
    return words.flatMap((_, from) => [1, 2, 3, 4].map((count) => words.slice(from, from + count).join("")));
  });
  const digitsFirst = [/\d/, /^\D*$/].flatMap((kind) => runs.filter((run) => kind.test(run)));
  const names = [...texts, remittance.join(""), ...digitsFirst].map(plainReference);
  return [...new Set(names.filter((one) => one !== undefined))].slice(0, mostNames);
}

/** The ids of deposits in texts. */
export function namedDeposits(texts: readonly string[]): string[] {
  return [...new Set(findIds(texts, ["deposit"]).map(({ id }) => id))];
}
