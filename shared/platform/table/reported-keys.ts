import type { Key } from "./keys.ts";

/** Keys of the `issuing` table for what banks and acquirers have reported, by their references. */
export const reportedKey = {
  /** In the `accounts` table: the Program that a collecting account belongs to. */
  bankAccount: (account: string): Key => ({ pk: `BANK_ACCOUNT#${account}`, sk: "BANK_ACCOUNT" }),
  payment: (programId: string, depositId: string): Key => ({
    pk: `${programId}#${depositId}`,
    sk: "BANK_REPORT",
  }),
  /** `place`: a number, or the deposit's id where the order does not matter. */
  named: (name: string, programId: string, place: string): Key => ({
    pk: `BANK#${name}`,
    sk: `PAYMENT#${programId}#${place}`,
  }),
  returned: (returnKey: string): Key => ({ pk: `BANK_RETURN#${returnKey}`, sk: "RETURN" }),
  waiting: (name: string, returnKey: string): Key => ({ pk: `BANK#${name}`, sk: `RETURN#${returnKey}` }),
  /** A deposit that a bank is to report. `name` is its account and amount, or its reference. */
  expected: (programId: string, name: string, depositId: string): Key => ({
    pk: `${programId}#EXPECTED`,
    sk: `${name}#${depositId}`,
  }),
  /** A clearing record, by its acquirer reference number. */
  clearing: (referenceCode: string): Key => ({ pk: `CLEARING#${referenceCode}`, sk: "CLEARING" }),
  /** The settlement with a reference code that its sender gave it. */
  reference: (programId: string, referenceCode: string): Key => ({
    pk: `${programId}#REFERENCE#${referenceCode}`,
    sk: "REFERENCE",
  }),
  /** A file, by its content. */
  file: (kind: string, digest: string): Key => ({ pk: `FILE#${kind}#${digest}`, sk: "FILE" }),
} as const;
