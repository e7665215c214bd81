import type { Card } from "../../shared/cards/card.ts";
import type { Plastic } from "../../shared/plastics/plastic.ts";

/** A step of a Card's course: it or one of its plastics came to a status. */
export interface CardStep {
  readonly at: string;
  readonly subject: "Card" | "Plastic";
  readonly status: string;
  readonly reason?: string | undefined;
  readonly id: string;
}

/** Those whose time is stored. When its Program put the Card on hold, and released it, is not. */
export function toSteps(card: Card, plastics: readonly Plastic[]): CardStep[] {
  const { entityId: id, createdAt, blockedAt, cardholderBlockedAt, closedAt } = card;
  const own = [
    { at: createdAt, status: "issued" },
    { at: blockedAt, status: "blocked" },
    { at: cardholderBlockedAt, status: "blocked", reason: "cardholder" },
    { at: closedAt, status: "closed" },
  ].map((step) => ({ ...step, subject: "Card" as const, id }));
  return [...own, ...plastics.flatMap(toPlasticSteps)].flatMap(({ at, ...step }) =>
    at === undefined ? [] : [{ at, ...step }],
  );
}

/** The first one is issued with its Card, and active with it if it is virtual. */
function toPlasticSteps(plastic: Plastic) {
  const { plasticId: id, sequence, reason, state, createdAt, activatedAt, endedAt, stoppedFor } = plastic;
  return [
    { at: sequence === 1 ? undefined : createdAt, status: "pending", reason },
    { at: activatedAt === createdAt ? undefined : activatedAt, status: "active" },
    { at: endedAt, status: state, reason: stoppedFor },
  ].map((step) => ({ ...step, subject: "Plastic" as const, id }));
}
