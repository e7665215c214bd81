import * as z from "zod";
import { Currency } from "./enums.ts";
import { amount, calendarDate, integerEnum, timestamp } from "./primitives.ts";
import { routesWith } from "./route.ts";

const TrialBalanceRow = z.object({
  /** Named as in the hledger export. */
  account: z.string(),
  /** Asset, liability, equity, revenue or expense. */
  accountType: z.enum(["A", "L", "E", "R", "X"]),
  /** In minor units; debits are positive. */
  opening: amount,
  debits: amount,
  credits: amount,
  closing: amount,
});

export const LedgerView = z.object({
  date: z.string(),
  timeZone: z.string(),
  /** The first moment of the day. */
  start: timestamp,
  /** The first one after it. */
  end: timestamp,
  currency: integerEnum(Currency),
  /** A long day is made in the background: request it again while it is `running`. */
  status: z.enum(["done", "running"]),
  /** While it is made, from 0 to 100. */
  progressPercent: z.int().min(0).max(100),
  /** Journal entries of the day. Absent from a long day, as `trialBalance`: `url` has them. */
  entries: z.int().optional(),
  trialBalance: z.array(TrialBalanceRow).optional(),
  /** A long day that is done has it: fetch the file with a plain GET, without a certificate. */
  url: z.string().optional(),
  /** When `url` ends. Another request returns a new one. */
  expiresAt: timestamp.optional(),
});
export type LedgerView = z.output<typeof LedgerView>;

const route = routesWith({ api: "platform", function: "ledger" });

export const ledgerRoutes = [
  route("GET /ledger/{date}", "read exportBooks", "Export the Program's books of a day", {
    parameters: { date: calendarDate },
    data: LedgerView,
    formats: ["hledger", "csv"],
    errors: ["DAY_NOT_CLOSED"],
  }),
] as const;
