import { cardholders, fullName } from "../cardholders/cardholder.ts";
import { getCard, maskCardNumber } from "../cards/card.ts";
import type { Currency } from "../contract/enums.ts";
import type { StatementLine } from "../contract/statements.ts";
import type { Account } from "../ledger/account.ts";
import { ApiError } from "../platform/http/api-error.ts";
import { getProgram } from "../tenancy/programs/program.ts";
import { tenants } from "../tenancy/tenant.ts";
import { getWallet } from "../wallets/wallet.ts";
import {
  type ClosedMonth,
  isClosed,
  keepClosedMonth,
  lastClosedMonth,
  noTotals,
  type ReadPrinted,
  type Sum,
  sumMonths,
  type Totals,
  withMovement,
} from "./closed-month.ts";
import type { Printed } from "./formats/sheet.ts";
import { toPosted } from "./lines.ts";
import { dayNames, type Month, monthsUntil } from "./months.ts";
import { isMovement, isPaid, type Movement, type Paid, readMovements } from "./movements.ts";

/** What a statement says of its Card or Wallet. `printed` is what may change. */
export interface StatementAccount extends Account {
  readonly programId: string;
  readonly currency: Currency;
  /** Without the names that take another read. */
  readonly printed: Printed;
  readonly readPrinted: ReadPrinted;
  /** From the one in which it was created, the oldest first. */
  readonly months: readonly Month[];
}

/** @throws ApiError NOT_FOUND */
export async function readStatementAccount(
  programId: string,
  account: Account,
  at: Date,
): Promise<StatementAccount> {
  const [program, described] = await Promise.all([
    getProgram(programId),
    describeAccount(programId, account),
  ]);
  const { createdAt, currency, cardholderId, ...names } = described;
  const months = monthsUntil(program, at).filter(({ until }) => until.getTime() > Date.parse(createdAt));
  const printed = { ...names, programName: program.name };
  const readPrinted = async () => {
    const [tenant, holder] = await Promise.all([
      tenants.at(program.tenantId).get(),
      cardholderId === undefined ? undefined : cardholders.at(programId, cardholderId).get(),
    ]);
    return {
      ...printed,
      ...(tenant && { issuerName: tenant.name }),
      ...(holder && { holderName: fullName(holder) }),
    };
  };
  return { programId, ...account, currency, printed, readPrinted, months };
}

async function describeAccount(programId: string, { kind, accountId }: Account) {
  if (kind === "wallet") {
    const { name, currency, createdAt } = await getWallet(programId, accountId);
    return { name, currency, createdAt };
  }
  const card = await getCard(programId, accountId);
  const { nameOnCard: name, cardholderId, currency, createdAt } = card;
  return { name, cardNumber: maskCardNumber(card), cardholderId, currency, createdAt };
}

/** @throws ApiError NOT_FOUND for a month before the account, or after this one */
export function findMonth({ months }: StatementAccount, period: string): number {
  const index = months.findIndex((month) => month.period === period);
  if (index < 0) throw new ApiError("NOT_FOUND");
  return index;
}

export interface Statement {
  readonly totals: Totals;
  readonly lines: readonly StatementLine[];
}

/** A closed one has what its month was closed with. */
export interface MadeStatement extends Statement {
  readonly kept?: ClosedMonth;
}

export interface Limits {
  readonly maximumEntries: number;
  readonly isTimeUp: () => boolean;
}

/** Undefined if it takes more than the limits allow. Stores a closed month's totals. */
export async function makeStatement(
  account: StatementAccount,
  index: number,
  at: Date,
  limits: Limits,
): Promise<MadeStatement | undefined> {
  const month = account.months[index] as Month;
  const { programId, readPrinted } = account;
  const stored = await lastClosedMonth(programId, account.accountId, month.period);
  const own = stored?.period === month.period ? stored : undefined;
  const openingMinor = await sumBefore(account, index, stored, at, limits.isTimeUp);
  if (openingMinor === undefined) return undefined;
  if (own && own.entries > limits.maximumEntries) return undefined;
  const span = { from: index === 0 ? undefined : month.from, until: month.until };
  const made = await writeLines(account, month, { span, totals: noTotals(openingMinor), ...limits });
  if (!made.isComplete) return undefined;
  if (!isClosed(month, at)) return made;
  const kept = await keepClosedMonth({ programId, account, month, readPrinted }, made.totals, own);
  return { ...made, kept };
}

/** The balance at the beginning of a month. Undefined if the sum takes more than allowed. */
async function sumBefore(
  account: StatementAccount,
  index: number,
  stored: ClosedMonth | undefined,
  at: Date,
  isTimeUp: Limits["isTimeUp"],
): Promise<number | undefined> {
  if (stored?.period === account.months[index]?.period) return stored?.openingMinor;
  const { months, begun } = monthsToSum(account, index, stored);
  const sum = await sumMonths({ ...account, account, months, isFirst: !stored, at, isTimeUp }, begun);
  return sum.index === months.length ? sum.totals.closingMinor : undefined;
}

/** The months between the last one that was closed and this one. */
export function monthsToSum(
  { months }: StatementAccount,
  index: number,
  stored: ClosedMonth | undefined,
): { months: readonly Month[]; begun: Sum } {
  const first = stored ? months.findIndex(({ period }) => period === stored.period) + 1 : 0;
  return {
    months: months.slice(first, index),
    begun: { index: 0, totals: noTotals(stored?.closingMinor ?? 0) },
  };
}

interface Reading extends Limits {
  readonly span: Parameters<typeof readMovements>[2];
  readonly totals: Totals;
}

/** So many movements look up their records together. */
const movementsTogether = 100;

/** The lines of a span of the month, after those that `totals` has. */
export async function writeLines(
  account: StatementAccount,
  month: Month,
  { span, maximumEntries, isTimeUp, ...begun }: Reading,
): Promise<Statement & { readonly isComplete: boolean; readonly after: string | undefined }> {
  const { programId } = account;
  const toDay = dayNames(month);
  const lines: StatementLine[] = [];
  let { totals } = begun;
  let balance = totals.closingMinor;
  let { after } = span;
  let waiting: (Movement | Paid)[] = [];
  let taken = 0;
  const flush = async () => {
    for (const posted of await toPosted(programId, account, waiting)) {
      const { atMs, type, description, amount, ...ids } = posted;
      balance += amount;
      lines.push({ date: toDay(atMs), type, description, amount, balance, ...ids });
    }
    waiting = [];
  };
  let isComplete = true;
  for await (const movement of readMovements(programId, account, span)) {
    if (isMovement(movement) || isPaid(movement)) {
      // One more than allowed is left to another reading.
      isComplete = taken < maximumEntries;
      if (!isComplete) break;
      taken += 1;
      if (isMovement(movement)) totals = withMovement(totals, movement);
      if (waiting.push(movement) === movementsTogether) await flush();
    }
    after = movement.ulid;
    isComplete = !isTimeUp();
    if (!isComplete) break;
  }
  await flush();
  return { totals, lines, isComplete, after };
}
