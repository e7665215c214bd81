import type { z } from "zod";
import type { ProcessorEvent } from "../../../shared/contract/processor.ts";
import { newId } from "../../../shared/platform/id.ts";
import type { Random } from "../../harness/random.ts";

export type NetworkEvent = z.input<typeof ProcessorEvent>;

/** A card's expected balances in minor units, and the lines of its two lists. */
interface CardTotals {
  ledgerMinor: number;
  heldMinor: number;
  transactions: number;
  fees: number;
}

/** The expected result of all events. */
export interface Totals {
  readonly cards: ReadonlyMap<string, CardTotals>;
  /** The amounts of the deposits that end in suspense, cleared. */
  readonly suspended: ReadonlyMap<string, number>;
  /** The Card that is delivered. */
  readonly shippedCardId: string;
}

export interface NetworkEventsOptions {
  readonly programId: string;
  readonly cardIds: readonly string[];
  readonly closedCardId: string;
  readonly shippedCardId: string;
  readonly count: number;
  /** The deposit on each card. */
  readonly fundingMinor: number;
  readonly random: Random;
}

/** Events with the same result in any order, because none can be declined, and that result. */
export function networkEvents(options: NetworkEventsOptions): { events: NetworkEvent[]; totals: Totals } {
  const { programId, cardIds, closedCardId, shippedCardId, count, fundingMinor, random } = options;
  const events: NetworkEvent[] = (["shipped", "delivered"] as const).map((status, step) => ({
    ...{ eventId: newId("event"), programId, cardId: shippedCardId },
    ...{ kind: "card_shipping", status, occurredAt: timeOf(step) },
  }));
  const suspended = new Map<string, number>();
  const cards = new Map<string, CardTotals>(
    cardIds.map((cardId) => [cardId, { ledgerMinor: fundingMinor, heldMinor: 0, transactions: 1, fees: 0 }]),
  );
  while (events.length < count) {
    const cardId = cardIds[random.below(cardIds.length)] ?? "";
    const totalsOfCard = cards.get(cardId);
    if (!totalsOfCard) throw new Error("There is no card.");
    const story = stories[random.below(stories.length)] ?? forcePost;
    const amount = 1 + random.below(500);
    const event = () => ({ eventId: newId("event"), programId, cardId });
    events.push(...story(event, amount, totalsOfCard, { closedCardId, suspended }));
  }
  return { events, totals: { cards, suspended, shippedCardId } };
}

/** In the past, one after the other. */
const timeOf = (step: number) => new Date(Date.UTC(2026, 0, 1) + step).toISOString();

type NewEvent = () => { eventId: string; programId: string; cardId: string };

type Story = (
  event: NewEvent,
  amount: number,
  totals: CardTotals,
  suspense: { closedCardId: string; suspended: Map<string, number> },
) => NetworkEvent[];

/** A bank's deposit: on the event's card, unless another account is given. */
function bankDeposit(
  event: NewEvent,
  amount: number,
  [first, then]: ["deposit_pending" | "deposit_cleared", ("deposit_cleared" | "deposit_returned")?],
  depositId = newId("deposit"),
  account: { accountType: 0 | 1; accountId: string } = { accountType: 1, accountId: event().cardId },
): NetworkEvent[] {
  const ids = () => ({ eventId: event().eventId, programId: event().programId, depositId });
  return [
    { ...ids(), kind: first, channel: "bank", amount, ...account },
    ...(then ? [{ ...ids(), kind: then }] : []),
  ];
}

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
  // One with an increment, which is reversed.
  (event, amount, totals) => {
    const authorizationId = newId("hold");
    totals.heldMinor += 2 * amount;
    const increment = { ...event(), kind: "authorization_incremental", authorizationId, amount } as const;
    return [
      { ...event(), kind: "authorization", authorizationId, amount: 2 * amount },
      increment,
      {
        ...event(),
        kind: "authorization_reversal",
        authorizationId,
        incrementEventId: increment.eventId,
      },
    ];
  },
  // Totals, of which the last to occur counts.
  (event, amount, totals) => {
    const authorizationId = newId("hold");
    totals.heldMinor += amount;
    const advice = { kind: "authorization_advice", authorizationId, total: true } as const;
    return [
      { ...event(), kind: "authorization", authorizationId, amount: 2 * amount },
      { ...event(), ...advice, amount: 3 * amount, occurredAt: timeOf(0) },
      { ...event(), ...advice, amount: 2 * amount, occurredAt: timeOf(1) },
      {
        ...event(),
        ...{ kind: "authorization_reversal", authorizationId, amount, total: true, occurredAt: timeOf(2) },
      },
    ];
  },
  // One that is reversed down to what is cleared, which may be done already.
  (event, amount, totals) => {
    const authorizationId = newId("hold");
    totals.ledgerMinor -= amount;
    totals.transactions += 1;
    return [
      { ...event(), kind: "authorization", authorizationId, amount: 3 * amount },
      {
        ...event(),
        ...{ kind: "authorization_reversal", authorizationId, amount, total: true, mayBeDone: true },
      },
      { ...event(), kind: "clearing", authorizationId, amount },
    ];
  },
  // Two settlements with one reference code: the first to come is posted.
  (event, amount, totals) => {
    totals.ledgerMinor -= amount;
    totals.transactions += 1;
    const clearing = { kind: "clearing", amount, referenceCode: `settlement-${event().eventId}` } as const;
    return [
      { ...event(), ...clearing },
      { ...event(), ...clearing },
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
  (event, amount, totals) => {
    totals.ledgerMinor += amount;
    totals.transactions += 1;
    return bankDeposit(event, amount, ["deposit_pending", "deposit_cleared"]);
  },
  (event, amount, totals) => {
    totals.transactions += 2;
    return bankDeposit(event, amount, ["deposit_cleared", "deposit_returned"]);
  },
  // One that is returned in two parts, and not whole.
  (event, amount, totals) => {
    const depositId = newId("deposit");
    totals.ledgerMinor += amount;
    totals.transactions += 3;
    const { cardId: _, ...ids } = event();
    const returned = () => ({ ...ids, eventId: event().eventId, depositId, amount });
    return [
      ...bankDeposit(event, 3 * amount, ["deposit_cleared"], depositId),
      { ...returned(), kind: "deposit_returned" },
      { ...returned(), kind: "deposit_returned" },
    ];
  },
  (event, amount) => {
    const depositId = newId("deposit");
    const { cardId: _, ...ids } = event();
    return [
      ...bankDeposit(event, amount, ["deposit_pending"], depositId),
      { ...ids, kind: "deposit_reversed", depositId },
    ];
  },
  // Deposits that no account can take: for a Closed Card, and for a Wallet that does not exist.
  (event, amount, _, { closedCardId, suspended }) => {
    const depositId = newId("deposit");
    suspended.set(depositId, amount);
    const account = { accountType: 1, accountId: closedCardId } as const;
    return bankDeposit(event, amount, ["deposit_pending", "deposit_cleared"], depositId, account);
  },
  (event, amount, _, { suspended }) => {
    const depositId = newId("deposit");
    suspended.set(depositId, amount);
    return bankDeposit(event, amount, ["deposit_cleared"], depositId, {
      accountType: 0,
      accountId: newId("wallet"),
    });
  },
];
