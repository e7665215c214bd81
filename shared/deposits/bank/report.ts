import type { BankEvent } from "../../contract/bank.ts";

export interface BankReport {
  readonly event: BankEvent;
  /** Names the report: a message's id, or a file and its record. A repetition has the same one. */
  readonly origin: string;
  /** By its content: two records of a file are two payments. */
  readonly file?: string | undefined;
  /** Where a connection says the Program. A file's account says it. */
  readonly programId?: string;
}

export type BankOutcome =
  | { readonly status: "applied" | "duplicate" | "suspense"; readonly programId: string }
  | { readonly status: "rejected"; readonly reason: string; readonly programId?: string };
