import type { z } from "zod";
import type { cardNetworkEvents } from "../../shared/contract/card-network.ts";
import { newId } from "../../shared/id.ts";

export type NetworkEvent = z.input<(typeof cardNetworkEvents)[number]>;

/** What a card comes to, in minor units and in lines of its two lists. */
export interface CardTotals {
  ledgerMinor: number;
  heldMinor: number;
  transactions: number;
  fees: number;
}

export interface NetworkEventsOptions {
  readonly programId: string;
  readonly cardIds: readonly string[];
  readonly count: number;
  /** What stands on each card, by one deposit. */
  readonly fundingMinor: number;
  readonly random: () => number;
}

/** Events that come to the same in any order, as nothing in them can be declined, and what they come to. */
export function networkEvents({ programId, cardIds, count, fundingMinor, random }: NetworkEventsOptions) {
  const events: NetworkEvent[] = [];
  const totals = new Map<string, CardTotals>(
    cardIds.map((cardId) => [cardId, { ledgerMinor: fundingMinor, heldMinor: 0, transactions: 1, fees: 0 }]),
  );
  while (events.length < count) {
    const cardId = cardIds[Math.floor(random() * cardIds.length)] ?? "";
    const totalsOfCard = totals.get(cardId);
    if (!totalsOfCard) throw new Error("There is no card.");
    const story = stories[Math.floor(random() * stories.length)] ?? forcePost;
    const amount = 1 + Math.floor(random() * 500);
    const event = () => ({ eventId: newId("event"), programId, cardId });
    events.push(...story(event, amount, totalsOfCard));
  }
  return { events, totals };
}

type Story = (
  event: () => { eventId: string; programId: string; cardId: string },
  amount: number,
  totals: CardTotals,
) => NetworkEvent[];

const forcePost: Story = (event, amount, totals) => {
  totals.ledgerMinor -= amount;
  totals.transactions += 1;
  return [{ ...event(), kind: "clearing", amount }];
};

const stories: readonly Story[] = [
  forcePost,
  (event, amount, totals) => {
    totals.ledgerMinor += amount;
    totals.transactions += 1;
    return [{ ...event(), kind: "refund", amount }];
  },
  (event, amount, totals) => {
    totals.ledgerMinor -= amount;
    totals.fees += 1;
    return [{ ...event(), kind: "fee", feeType: 5, amount }];
  },
  (event, amount, totals) => {
    totals.ledgerMinor -= amount + 7;
    totals.transactions += 1;
    totals.fees += 1;
    return [{ ...event(), kind: "atm_withdrawal", amount, feeAmount: 7 }];
  },
  // An authorization that stays open.
  (event, amount, totals) => {
    totals.heldMinor += amount;
    return [{ ...event(), kind: "authorization", authorizationId: newId("hold"), amount }];
  },
  // One that is cleared in two parts, the last for less than what is left.
  (event, amount, totals) => {
    const authorizationId = newId("hold");
    totals.ledgerMinor -= 2 * amount;
    totals.transactions += 2;
    return [
      { ...event(), kind: "authorization", authorizationId, amount: 3 * amount },
      { ...event(), kind: "clearing", authorizationId, amount, final: false },
      { ...event(), kind: "clearing", authorizationId, amount },
    ];
  },
  // One that is reversed in part, and then expires.
  (event, amount) => {
    const authorizationId = newId("hold");
    return [
      { ...event(), kind: "authorization_advice", authorizationId, amount: 2 * amount },
      { ...event(), kind: "authorization_reversal", authorizationId, amount },
      { ...event(), kind: "authorization_expiry", authorizationId },
    ];
  },
];
