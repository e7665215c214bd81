import type { BankDeposited } from "../../contract/bank.ts";
import { currencyNames, DepositStatus } from "../../contract/enums.ts";
import type { Account } from "../../ledger/account.ts";
import { timestamp } from "../../platform/clock.ts";
import { readBatch } from "../../platform/table/batch.ts";
import { type Deposit, deposits } from "../deposit.ts";
import { byAccount, byReference, expectedDeposits, plainReference } from "../expected.ts";
import { namedDeposits } from "./named-in-text.ts";

const mostTried = 20;

/**
 * The announced deposit that a report is about: by its id, by its reference, or, if it is pending,
 * by account and amount. Each is of one report alone.
 */
export async function findExpected(
  programId: string,
  event: BankDeposited,
  account: Account | undefined,
): Promise<Deposit | undefined> {
  const [any] = await expectedDeposits.first(1, programId);
  const ids = namedDeposits(event.remittance);
  if (!any && ids.length === 0) return undefined;
  const named = namesIn(event);
  const amountMinor = event.amount;
  const names = [...named.map(byReference), ...(account ? [byAccount({ account, amountMinor })] : [])];
  const found = await Promise.all(names.map((name) => expectedDeposits.first(mostTried, programId, name)));
  const order = [...ids, ...found.flat().map(({ depositId }) => depositId)];
  const keys = [...new Set(order)].map((depositId) => deposits.at(programId, depositId).key);
  const stored = keys.length === 0 ? [] : (await readBatch(keys)).map((item) => deposits.parse(item));
  const open = order
    .map((depositId) => stored.find((one) => one.depositId === depositId))
    .filter((one) => one !== undefined)
    .filter((one) => isOpen(one, event));
  const byName = open.filter(
    ({ depositId, reference }) => ids.includes(depositId) || named.includes(plainReference(reference) ?? ""),
  );
  const isExact = (one: Deposit) => one.amountMinor === amountMinor;
  return (
    byName.find(({ depositId }) => ids.includes(depositId)) ??
    byName.find(isExact) ??
    byName[0] ??
    open.find((one) => one.account.accountId === account?.accountId && isExact(one) && isPending(one))
  );
}

const isPending = ({ status }: Deposit) => status === DepositStatus.pending;

/** What a simulated bank has cleared is the same money only if the amount is. */
function isOpen(deposit: Deposit, { amount, currency }: BankDeposited): boolean {
  const { status, expiresAt, isReported, amountMinor, returnedMinor } = deposit;
  if (expiresAt === undefined || expiresAt < timestamp() || isReported) return false;
  if (currencyNames[deposit.currency] !== currency) return false;
  const isSimulated = status === DepositStatus.cleared && amountMinor === amount && !returnedMinor;
  return isPending(deposit) || isSimulated;
}

/** Whole texts, and up to four words that follow each other. */
function namesIn({ remittance, references }: BankDeposited): string[] {
  const texts = [...remittance, references.endToEnd ?? "", references.instruction ?? ""];
  const runs = remittance.flatMap((text) => {
    const words = text.split(/\s+/);
    return words.flatMap((_, from) => [1, 2, 3, 4].map((count) => words.slice(from, from + count).join("")));
  });
  const names = [...texts, remittance.join(""), ...runs].map(plainReference);
  return [...new Set(names.filter((one) => one !== undefined))].slice(0, 40);
}
