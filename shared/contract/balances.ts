import * as z from "zod";
import { Currency, TransferStatus } from "./enums.ts";
import {
  amount,
  depositReference,
  externalId,
  id,
  integerEnum,
  memo,
  positiveAmount,
  queryInteger,
  timestamp,
} from "./primitives.ts";

/** Amounts in minor units. `availableBalance` never exceeds `ledgerBalance`. */
export const Balances = z.object({ availableBalance: amount, ledgerBalance: amount });
export type Balances = z.output<typeof Balances>;

export const BankDeposit = z.object({
  amount: positiveAmount,
  reference: memo.optional(),
  externalId: externalId.optional(),
  /** It is cancelled if the bank has not reported it after so many days. Default: 14. */
  expiresInDays: z.int().min(1).max(90).optional(),
});
export type BankDeposit = z.output<typeof BankDeposit>;

export const BankDepositResponse = z.object({
  depositId: id("deposit"),
  /** 0 Pending until the deposit clears, then 1 Approved. */
  transStatus: integerEnum(TransferStatus),
  amount,
  currency: integerEnum(Currency),
  dateCreated: timestamp,
  /** Until then the bank's report is about this deposit. */
  expiresAt: timestamp.optional(),
  /** What the payer writes, so that the bank's report is about it. */
  creditorReference: depositReference.optional(),
  /** Absent from one that a sandbox has cleared at once. */
  status: z.enum(["expected"]).optional(),
});

const side = z.object({ expression: z.string(), amount });

/** Two amounts that must be equal, calculated in different ways. */
export const Identity = z.object({
  name: z.enum([
    "outstanding",
    "ledger",
    "available",
    "holds",
    "pending",
    "doubleEntry",
    "storedAvailable",
    "storedLedger",
    "storedHeld",
    "storedPending",
    /** Compares numbers of entries, not amounts. */
    "entries",
    "statement",
    /** What Wallets paid, and what is held of them, where the Card has spent from one. */
    "funding",
    "fundingHolds",
  ]),
  left: side,
  right: side,
  holds: z.boolean(),
});
export type Identity = z.output<typeof Identity>;

const count = z.int().min(0);

/** Amounts in minor units. All but `stored` are recalculated from the journal. */
export const BalanceProof = z.object({
  currency: integerEnum(Currency),
  journalEntries: count,
  /** A sum of the entries before `until`, which the proof continued. Absent if all were read. */
  checkpoint: z.object({ journalEntries: count, until: timestamp }).optional(),
  /** The balance according to the postings. */
  availableBalance: amount,
  ledgerBalance: amount,
  depositsAndCredits: amount,
  clearedDepositsAndCredits: amount,
  settledDebits: amount,
  openHolds: z.object({ count, amount }),
  pendingDeposits: z.object({ count, amount }),
  /** The balances stored with the Card or Wallet. */
  stored: z.object({ availableBalance: amount, ledgerBalance: amount }),
  identities: z.array(Identity),
  proven: z.boolean(),
  provenAt: timestamp,
});
export type BalanceProof = z.output<typeof BalanceProof>;

export const CardBalanceProof = BalanceProof.extend({ cardId: id("card") });
export const WalletBalanceProof = BalanceProof.extend({ walletId: id("wallet") });

/** The length of the cycle in days, up to now. */
export const holdMatchingQuery = z.object({ cycleDays: queryInteger(1, 366).default(31) });

/** The authorized amount of one reference, minus reversals and expiries. */
const HoldLine = z.object({ transId: id("transaction"), amount, holdDate: timestamp });

const SettlementLine = z.object({
  transId: id("transaction"),
  amount,
  transDate: timestamp,
  /** Whether the merchant billed in another currency than the card's. */
  crossCurrency: z.boolean(),
});

/** Amounts in minor units. A report for monitoring: balances and statements do not depend on it. */
export const HoldMatching = z.object({
  cardId: id("card"),
  currency: integerEnum(Currency),
  cycleStart: timestamp,
  cycleEnd: timestamp,
  matches: z.array(
    z.object({
      hold: HoldLine,
      settlement: SettlementLine,
      /** The settled amount minus the held amount. */
      difference: amount,
      /** The difference in hundredths of a percent of the hold: 150 is 1.5 %. Never negative. */
      varianceBasisPoints: z.int().min(0),
      /** Whether the variance is above 2 % and needs a review. */
      flagged: z.boolean(),
    }),
  ),
  unmatchedHolds: z.array(HoldLine),
  unmatchedSettlements: z.array(SettlementLine),
  /** Compares the unmatched holds with the amount that the balances set aside. */
  cycleCheck: z.object({
    unmatchedHolds: amount,
    pendingDeposits: amount,
    ledgerLessAvailable: amount,
    /** `ledgerLessAvailable` minus the other two. */
    difference: amount,
    /** Whether the difference is within 2.5 % of `ledgerLessAvailable`. */
    withinTolerance: z.boolean(),
  }),
});
