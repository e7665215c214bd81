import type { Key } from "./keys.ts";

/** Keys of the `issuing` table for what banks and acquirers have reported, by their references. */
export const reportedKey = {
  /** In the `accounts` table: the Program that a collecting account belongs to. */
  bankAccount: (account: string): Key => ({ pk: `BANK_ACCOUNT#${account}`, sk: "BANK_ACCOUNT" }),
  /** `place` is the Program; for its second deposit of this reference, the collecting IBAN. */
  deposit: (bankReference: string, place: string): Key => ({
    pk: `BANK#${bankReference}`,
    sk: `REPORTED#${place}`,
  }),
  /**
   * `place`: the deposit's; before it is known, the IBAN or Program that the return names, or `*`.
   * `part` is empty or begins with `#`.
   */
  returned: (bankReference: string, place: string, part: string): Key => ({
    pk: `BANK#${bankReference}`,
    sk: `RETURN#${place}${part}`,
  }),
  endToEnd: (endToEndId: string, place: string, bankReference: string): Key => ({
    pk: `PAYER#BANK_END_TO_END#${endToEndId}`,
    sk: `${place}#${bankReference}`,
  }),
  /** A return that came before its deposit, and names it by the payer's reference alone. */
  returnedEndToEnd: (endToEndId: string, place: string, part: string): Key => ({
    pk: `BANK_END_TO_END#${endToEndId}`,
    sk: `RETURN#${place}${part}`,
  }),
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
