import * as z from "zod";
import { Currency, TransferStatus } from "./enums.ts";
import { amount, externalId, id, integerEnum, memo, positiveAmount, timestamp } from "./primitives.ts";

/** Amounts in minor units. `availableBalance` never exceeds `ledgerBalance`. */
export const Balances = z.object({ availableBalance: amount, ledgerBalance: amount });
export type Balances = z.output<typeof Balances>;

export const BankDeposit = z.object({
  amount: positiveAmount,
  reference: memo.optional(),
  externalId: externalId.optional(),
});
export type BankDeposit = z.output<typeof BankDeposit>;

export const BankDepositResponse = z.object({
  depositId: id("deposit"),
  /** Transfer status: 0 Pending until the deposit clears, 1 Approved once it has. */
  transStatus: integerEnum(TransferStatus),
  amount,
  currency: integerEnum(Currency),
  dateCreated: timestamp,
});
