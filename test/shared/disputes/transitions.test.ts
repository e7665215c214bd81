import { expect, it } from "vitest";
import { TransactionType } from "../../../shared/contract/enums.ts";
import { findDisputeTypes } from "../../../shared/disputes/transitions.ts";

it.each([
  ["authorization_clearing", 4],
  ["pindebit", 42],
  ["pindebit_atm_withdrawal", 42],
  ["pindebit_authorization_clearing", 42],
  ["pindebit_cashback", 42],
  ["pindebit_transfer", 42],
  ["pindebit_cashwithdrawal", 42],
  ["authorization", undefined],
  ["refund", undefined],
] as const)("a dispute of %s opens with %s", (type, opened) => {
  const disputed = TransactionType[type as keyof typeof TransactionType];
  expect(findDisputeTypes(disputed)?.opened).toBe(opened);
});
