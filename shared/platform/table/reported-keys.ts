import type { Key } from "./keys.ts";

interface ChainOutput {
  readonly programId: string;
  readonly chain: string;
  readonly txHash: string;
  readonly address: string;
  readonly outputIndex: number;
}

/** Keys of the `issuing` table for what banks, custodians and acquirers have reported. */
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
  /** Leads from a deposit address, in the one way to write it, to its Card. */
  address: (programId: string, chain: string, address: string): Key => ({
    pk: `${programId}#ADDRESS#${chain}#${address}`,
    sk: "ADDRESS",
  }),
  /** What came to an address by one output of a transaction. */
  chainDeposit: ({ programId, chain, txHash, address, outputIndex }: ChainOutput): Key => ({
    pk: `${programId}#CHAIN#${chain}#${txHash}`,
    sk: `CHAIN_DEPOSIT#${address}#${outputIndex}`,
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
