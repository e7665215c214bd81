import * as z from "zod";
import { Currency } from "./enums.ts";
import { amount, id, integerEnum, timestamp } from "./primitives.ts";

const side = z.object({ expression: z.string(), amount });

/** An equation of two amounts that were found in different ways. */
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
    "statement",
  ]),
  left: side,
  right: side,
  holds: z.boolean(),
});
export type Identity = z.output<typeof Identity>;

const count = z.int().min(0);

/** Amounts in minor units. All but the stored balances is added up from the journal and the records, from the first on. */
export const BalanceProof = z.object({
  currency: integerEnum(Currency),
  journalEntries: count,
  /** As the postings add up to them. */
  availableBalance: amount,
  ledgerBalance: amount,
  depositsAndCredits: amount,
  clearedDepositsAndCredits: amount,
  settledDebits: amount,
  openHolds: z.object({ count, amount }),
  pendingDeposits: z.object({ count, amount }),
  /** As they stand with the Card or Wallet. */
  stored: z.object({ availableBalance: amount, ledgerBalance: amount }),
  identities: z.array(Identity),
  /** Whether every identity holds. */
  proven: z.boolean(),
  provenAt: timestamp,
});
export type BalanceProof = z.output<typeof BalanceProof>;

export const CardBalanceProof = BalanceProof.extend({ cardId: id("card") });
export const WalletBalanceProof = BalanceProof.extend({ walletId: id("wallet") });
