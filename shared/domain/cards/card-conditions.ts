import type { CardStatus } from "../../contract/enums.ts";
import { above, any, atLeast, type Condition, oneOf } from "../../platform/table/condition.ts";
import type { StoredAccount } from "../ledger/account.ts";
import type { Card } from "./card.ts";
import { earliestExpiry } from "./expiry.ts";

/** The item of an account; a wallet's has none of a card's attributes. */
export type CardOrWallet = StoredAccount & Partial<Card>;

export function hasStatusIn(statuses: readonly CardStatus[]): Condition<Card> {
  return { issuerCardStatus: oneOf(statuses) };
}

export function isValidAt(at: Date): Condition<Card> {
  const { expiryYear, expiryMonth } = earliestExpiry(at);
  return any({ expiryYear: above(expiryYear) }, { expiryYear, expiryMonth: atLeast(expiryMonth) });
}
