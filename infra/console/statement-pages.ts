import { monotonicMs, now } from "../../shared/platform/clock.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import type { Month } from "../../shared/statements/months.ts";
import {
  findMonth,
  isClosed,
  makeStatement,
  readStatementAccount,
  type Statement,
  type StatementAccount,
} from "../../shared/statements/statement.ts";
import { journalHref } from "./journal.ts";
import { codeLabel, counted } from "./labels.ts";
import { type Cell, NotFound, type Page, type Section, toHref, toTable } from "./page.ts";
import { programTrail } from "./trails.ts";
import { findPageKind, money } from "./values.ts";

const maximumEntries = 5_000;
const maximumWorkMs = 10_000;
const dayMs = 86_400_000;

async function readMonths(programId: string, accountId: string) {
  const kind = findPageKind(accountId);
  if (kind !== "cards" && kind !== "wallets") throw new NotFound(`${accountId} has no statements.`);
  const account = { kind: kind === "cards" ? "card" : "wallet", accountId } as const;
  return readStatementAccount(programId, account, now()).catch((error: Error) => {
    if (error instanceof ApiError) throw new NotFound(`${programId} has no ${accountId}.`);
    throw error;
  });
}

const toPath = (programId: string, accountId: string) => [
  ...["programs", programId, findPageKind(accountId) ?? "", accountId, "statements"],
];

/** The months of a Card or Wallet, the newest first. */
export async function statementsPage(programId: string, accountId: string): Promise<Page> {
  const { months } = await readMonths(programId, accountId);
  const at = now();
  const rows = months.map((month): Cell[] => [
    { text: month.period, href: toHref([...toPath(programId, accountId), month.period]) },
    isClosed(month, at) ? { text: "Closed", tone: "over" } : { text: "Open", tone: "wait" },
    { time: month.from.toISOString() },
    { time: month.until.toISOString() },
    { text: month.timeZone },
  ]);
  const columns = ["Month", "Status", "From", "Up to", "Time zone"];
  return {
    title: "Statements",
    trail: await programTrail(programId, accountId),
    sections: [toTable("Months", columns, rows.toReversed(), `${months.length}, the newest first.`)],
  };
}

/** One month with its lines. It stores nothing, so that it works for who may only read. */
export async function statementPage(programId: string, accountId: string, period: string): Promise<Page> {
  const account = await readMonths(programId, accountId);
  const { months } = account;
  if (!months.some((month) => month.period === period))
    throw new NotFound(`${accountId} has no statement of ${period}.`);
  const index = findMonth(account, period);
  const month = months[index] as Month;
  const endsAtMs = monotonicMs() + maximumWorkMs;
  // At its beginning no month is closed: the totals of closed ones would be stored.
  const made = await makeStatement(account, index, month.from, {
    maximumEntries,
    isTimeUp: () => monotonicMs() > endsAtMs,
  });
  const trail = [
    ...(await programTrail(programId, accountId)),
    { text: "Statements", href: toHref(toPath(programId, accountId)) },
  ];
  const title = `Statement of ${period}`;
  if (!made) {
    const text = `It has more than ${maximumEntries.toLocaleString("en")} entries. The API makes it as a file: GET /${findPageKind(accountId)}/${accountId}/statements/${period}.`;
    return { title, trail, sections: [{ kind: "note", text }] };
  }
  return { title, trail, sections: toSections(programId, account, month, made) };
}

function toSections(
  programId: string,
  { accountId, currency }: StatementAccount,
  { timeZone }: Month,
  { totals: { openingMinor, closingMinor }, lines }: Statement,
): Section[] {
  const amount = (minor: number, href?: string) => ({
    text: money(minor, currency),
    isNumber: true as const,
    href,
  });
  const rows = lines.map((line): Cell[] => {
    // A day earlier: the line has the Program's day.
    const createdAt = new Date(Date.parse(line.date) - dayMs).toISOString();
    const href = journalHref(programId, accountId, { id: line.transId, createdAt });
    const type = { text: codeLabel(line.type) };
    return [
      { text: line.date },
      { text: line.description },
      type,
      amount(line.amount, href),
      amount(line.balance),
    ];
  });
  const columns = ["Day", "Description", "Type", "Amount", "Balance"];
  return [
    {
      kind: "figures",
      title: "Balance",
      fields: [
        { name: "Opening", value: amount(openingMinor) },
        { name: "Change", value: amount(closingMinor - openingMinor) },
        { name: "Closing", value: amount(closingMinor) },
      ],
    },
    toTable("Lines", columns, rows, `${counted(lines.length, "line")} in ${timeZone}.`),
  ];
}
