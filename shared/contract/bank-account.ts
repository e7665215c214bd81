import * as z from "zod";
import { isIban } from "./iban.ts";

/** Where there is no IBAN: the bank's routing number, and its number of the account. */
const routed = /^[A-Z0-9]{3,35}\/[A-Z0-9]{1,34}$/;

/** As a Program's settings have it. */
export const bankAccount = z
  .string()
  .refine(
    (account) => isIban(account) || routed.test(account),
    "must be an IBAN without spaces, whose check digits are right, or a routing number and an account number: 021000021/123456789",
  );

/** An account, however it is written: with blanks and hyphens, or zeros before its number. */
export function toAccountKey(account: string): string {
  const [routing = "", number] = account.toUpperCase().replace(/[\s-]/g, "").split("/");
  return number === undefined ? routing : `${routing}/${number.replace(/^0+(?=.)/, "")}`;
}

/** As `toAccountKey` writes it. */
export const accountKey = z
  .string()
  .regex(/^(?:[A-Z]{2}\d{2}[A-Z0-9]{11,30}|[A-Z0-9]{3,35}\/[A-Z0-9]{1,34})$/, "must be an account");

export const BankAccountType = z.enum(["checking", "savings"]);

/** Account details for a payment file. They are stored encrypted, and never returned. */
export const AccountDetails = z.union([
  z.strictObject({ iban: z.string() }),
  z.strictObject({ accountNumber: z.string(), routingNumber: z.string(), accountType: BankAccountType }),
]);
export type AccountDetails = z.output<typeof AccountDetails>;

const routingWeights = [3, 7, 1, 3, 7, 1, 3, 7, 1];

/** A routing number of the American Bankers Association, whose last digit checks the others. */
export function isRoutingNumber(digits: string): boolean {
  if (!/^\d{9}$/.test(digits) || digits === "000000000") return false;
  const sum = routingWeights.reduce((total, weight, place) => total + weight * Number(digits[place]), 0);
  return sum % 10 === 0;
}
