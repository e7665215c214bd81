import type { Field } from "./field-descriptions.ts";

/** Of what the operator may have to approve. */
export const requestFields: Readonly<Record<string, Field>> = {
  bankAccount: [
    "Collects the deposits, for 90 days more after a change: an IBAN, or routing/account number.",
    "DE89370400440532013000",
  ],
  requestedBankAccount: ["Waits for the operator's approval.", "DE89370400440532013000"],
  requested: ["What the Tenant has asked for in its place: it waits for the operator's approval."],
  transStatus: ["0 Pending, 1 Approved, 2 Declined, 4 Error: one of the listed values."],
  dateRequested: ["When it was asked for.", "2026-11-20T08:00:00.000Z"],
};
