import * as z from "zod";
import { Currency } from "./enums.ts";
import { amount, id, integerEnum, queryInteger, timestamp } from "./primitives.ts";

/** How many days the cycle goes back that is looked at. */
export const holdMatchingQuery = z.object({ cycleDays: queryInteger(1, 366).default(31) });

/** The amount authorized under one reference, less what was reversed or expired. */
const HoldLine = z.object({ transId: id("transaction"), amount, holdDate: timestamp });

const SettlementLine = z.object({
  transId: id("transaction"),
  amount,
  transDate: timestamp,
  /** Whether the merchant billed in another currency than the card's. */
  crossCurrency: z.boolean(),
});

/** Amounts in minor units. A report for monitoring: no balance and no statement depends on it. */
export const HoldMatching = z.object({
  cardId: id("card"),
  currency: integerEnum(Currency),
  cycleStart: timestamp,
  cycleEnd: timestamp,
  matches: z.array(
    z.object({
      hold: HoldLine,
      settlement: SettlementLine,
      /** Settled less held. */
      difference: amount,
      /** The difference in hundredths of a percent of the hold: 150 is 1.5 %. Rounded, never negative. */
      varianceBasisPoints: z.int().min(0),
      /** The variance is above 2 %: to be reviewed. */
      flagged: z.boolean(),
    }),
  ),
  unmatchedHolds: z.array(HoldLine),
  unmatchedSettlements: z.array(SettlementLine),
  /** Checks that the unmatched holds equal what the balances still set aside. */
  cycleCheck: z.object({
    unmatchedHolds: amount,
    pendingDeposits: amount,
    ledgerLessAvailable: amount,
    /** `ledgerLessAvailable` less the other two. */
    difference: amount,
    /** The difference is within 2.5 % of `ledgerLessAvailable`. */
    withinTolerance: z.boolean(),
  }),
});
export type HoldMatching = z.output<typeof HoldMatching>;
