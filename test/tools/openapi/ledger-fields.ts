import type { Field } from "./field-descriptions.ts";

/** Of the books of a day. Amounts are in minor units, and debits are positive. */
export const ledgerFields: Readonly<Record<string, Field>> = {
  date: ["A day of the Program's time zone.", "2026-11-20"],
  trialBalance: ["The contra accounts, and the Cards and Wallets with an entry of the day."],
  account: ["The account, as in the hledger export.", "assets:bank-funding"],
  accountType: ["Asset, liability, equity, revenue or expense.", "A"],
  opening: ["The balance at the beginning of the day, in minor units. Debits are positive.", 10_000],
  debits: ["The sum of the day's debits, in minor units.", 2_500],
  credits: ["The sum of the day's credits, in minor units.", 1_000],
  closing: ["The balance at the end of the day, in minor units: opening, plus debits, less credits.", 11_500],
};
