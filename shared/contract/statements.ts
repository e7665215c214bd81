import * as z from "zod";
import { Currency } from "./enums.ts";
import { amount, id, integerEnum, queryInteger, timestamp } from "./primitives.ts";
import { routesWith } from "./route.ts";

const formats = ["csv", "pdf", "camt053"] as const;
export type StatementFormat = (typeof formats)[number] | "json";

const monthName = z
  .string()
  .regex(/^\d{4}-(0[1-9]|1[0-2])$/)
  .describe("The month: 2026-11.");

/** What a line is about. */
export const StatementLineType = z.enum([
  "purchase",
  "refund",
  "refund_reversal",
  "cash",
  "fee",
  "fee_reversal",
  "deposit",
  "deposit_return",
  "payout",
  "payout_return",
  "transfer_in",
  "transfer_out",
  "dispute",
  "debt_settled",
  "funding",
]);
export type StatementLineType = z.output<typeof StatementLineType>;

const groupedLine = z.object({
  type: StatementLineType,
  description: z.string(),
  amount,
  transId: z.string(),
});

export const StatementLine = z.object({
  /** The day in the Program's time zone. */
  date: z.iso.date(),
  type: StatementLineType,
  description: z.string(),
  /** What the balance rose by, or fell by where it is negative, in minor units. */
  amount,
  /** The balance after the line, in minor units. */
  balance: amount,
  /** A Card's transaction or fee. A Wallet's transfer or deposit, or the Card that was swept. */
  transId: z.string(),
  /** The journal entry that moved the money: a withdrawal and its fee share one. */
  journalEntryId: id("journalEntry"),
  /** In a Wallet's statement: the Card that spends from it. */
  cardId: id("card").optional(),
  /** The Wallet that paid, or was paid: in a line `funding` of a Card. */
  walletId: id("wallet").optional(),
  /** With `group`, of an ATM withdrawal and its fee: the two, whose sum is `amount`. */
  group: z.array(groupedLine).optional(),
});
export type StatementLine = z.output<typeof StatementLine>;

/** The calendar month of a Program's time zone. */
const month = {
  /** The month: 2026-11. */
  period: monthName,
  /** Whether the month is over: a closed statement never changes. */
  closed: z.boolean(),
  /** The first moment of the month. */
  start: timestamp,
  /** The first moment after it. */
  end: timestamp,
  /** The Program's time zone as the month began. */
  timeZone: z.string(),
};

export const StatementMonth = z.object({
  ...month,
});
export type StatementMonth = z.output<typeof StatementMonth>;

export const StatementProof = z.object({
  /** The number of journal entries that moved the balance. */
  entries: z.int().min(0),
  /** The sum of their postings, in minor units: the closing less the opening balance. */
  sum: amount,
  /** SHA-256 over these entries in order, in base64. Empty without entries. */
  hash: z.string(),
});

export const StatementView = z.object({
  ...month,
  cardId: id("card").optional(),
  walletId: id("wallet").optional(),
  currency: integerEnum(Currency),
  /** A long statement is made in the background: request it again while it is `running`. */
  status: z.enum(["done", "running"]),
  /** While it is made, from 0 to 100. */
  progressPercent: z.int().min(0).max(100),
  /** Minor units: the ledger balance less pending deposits at the start. Absent until made. */
  openingBalance: amount.optional(),
  /** Minor units: the same at the end; of an open month, now. */
  closingBalance: amount.optional(),
  /** Absent from a long statement: `url` has it. */
  lines: z.array(StatementLine).optional(),
  /** How the statement follows from the journal. */
  proof: StatementProof.optional(),
  /**
   * Only a long statement that is done has it: fetch the file with a plain GET, without a
   * certificate.
   */
  url: z.string().optional(),
  /** When `url` ends. Another request returns a new one. */
  expiresAt: timestamp.optional(),
});
export type StatementView = z.output<typeof StatementView>;

const listed = z.object({
  sort: z.enum(["asc", "desc"]).default("desc"),
  limit: queryInteger(1, 200).default(50),
  offset: queryInteger(0, 1_000_000_000).default(0),
});

const route = routesWith({ api: "platform", function: "statements" });
const one = { parameters: { period: monthName }, data: StatementView, formats } as const;
const grouping = z.object({
  /** Whether an ATM withdrawal and its fee are one line. A long statement has them apart. */
  group: z.enum(["true", "false"]).default("false"),
});

export const statementRoutes = [
  route("GET /cards/{cardId}/statements", "read listCardMonths", "List the months of a card's statements", {
    query: listed,
    items: StatementMonth,
  }),
  route(
    "GET /cards/{cardId}/statements/{period}",
    "read viewCardStatement",
    "Get a card's statement of a month",
    { ...one, query: grouping },
  ),
  route(
    "GET /wallets/{walletId}/statements",
    "read listWalletMonths",
    "List the months of a wallet's statements",
    { query: listed, items: StatementMonth },
  ),
  route(
    "GET /wallets/{walletId}/statements/{period}",
    "read viewWalletStatement",
    "Get a wallet's statement of a month",
    one,
  ),
] as const;
