import { type Posting, withoutZeros } from "./posting.ts";

/** The postings of each change of money that the card network causes: pure, in minor units. `card` is a cardId. */

/** A hold is placed, or grows: what is held cannot be spent. */
export function holdPlaced(card: string, amountMinor: number): Posting[] {
  return [
    { account: `${card}:available`, amountMinor: -amountMinor },
    { account: `${card}:held`, amountMinor },
  ];
}

/** A hold, or a part of it, is given up: reversed or expired. */
export function holdReleased(card: string, amountMinor: number): Posting[] {
  return [
    { account: `${card}:held`, amountMinor: -amountMinor },
    { account: `${card}:available`, amountMinor },
  ];
}

/** A debit is settled, of any amount, releasing so much of its hold: what the hold did not set aside is taken from what is available. */
export function debitSettled(card: string, amountMinor: number, releasedMinor = 0): Posting[] {
  return withoutZeros([
    { account: `${card}:held`, amountMinor: -releasedMinor },
    { account: `${card}:available`, amountMinor: releasedMinor - amountMinor },
    { account: "network_settlement", amountMinor },
  ]);
}

/** A credit is settled. */
export function creditSettled(card: string, amountMinor: number): Posting[] {
  return [
    { account: "network_settlement", amountMinor: -amountMinor },
    { account: `${card}:available`, amountMinor },
  ];
}

export function feeCharged(card: string, amountMinor: number): Posting[] {
  return [
    { account: `${card}:available`, amountMinor: -amountMinor },
    { account: "fee_income", amountMinor },
  ];
}

export function feeGivenBack(card: string, amountMinor: number): Posting[] {
  return [
    { account: "fee_income", amountMinor: -amountMinor },
    { account: `${card}:available`, amountMinor },
  ];
}

/** The Program advances what is disputed until the dispute is decided. */
export function creditedProvisionally(card: string, amountMinor: number): Posting[] {
  return [
    { account: "program_reserve", amountMinor: -amountMinor },
    { account: `${card}:available`, amountMinor },
  ];
}

/** The Program takes its advance back. */
export function debitedProvisionally(card: string, amountMinor: number): Posting[] {
  return [
    { account: `${card}:available`, amountMinor: -amountMinor },
    { account: "program_reserve", amountMinor },
  ];
}

/**
 * The network pays what the Program has advanced; the card keeps it. The posting of nothing says to whose books the entry belongs:
 * it stands with the card, though the card has no more by it.
 */
export function chargebackPaid(card: string, amountMinor: number): Posting[] {
  return [
    { account: "network_settlement", amountMinor: -amountMinor },
    { account: "program_reserve", amountMinor },
    { account: `${card}:available`, amountMinor: 0 },
  ];
}
