import { timestamp } from "../../platform/clock.ts";
import { newId } from "../../platform/id.ts";
import type { CardIdentity } from "../cards/card.ts";
import type { Account, StoredAccount } from "../ledger/account.ts";
import type { NewDeposit } from "./deposit.ts";

/** A deposit on an account whose item was read: a card's deposit carries what its statement and notifications need. */
export function newDepositOf(
  deposit: Omit<NewDeposit, "account" | "createdAt">,
  account: Account,
  stored: StoredAccount,
  at: Date,
): NewDeposit {
  const { cardholderId, cardToken } = stored as StoredAccount & Partial<CardIdentity>;
  return {
    ...deposit,
    account,
    ...(account.kind === "card" && { cardholderId, cardToken, transId: newId("transaction") }),
    createdAt: timestamp(at),
  };
}
