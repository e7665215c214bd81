import { type Card, cards } from "../cards/card.ts";
import { type Expiry, isBlocked, isExpired, isNotBlocked } from "../cards/usable.ts";
import type { Change } from "../changes/change.ts";
import { CardStatus } from "../contract/enums.ts";
import { absent, oneOf } from "../platform/table/condition.ts";
import {
  type Refusal,
  type Replaced,
  type Replacement,
  type ReplacementRequest,
  replacement,
} from "./replace.ts";

const dayMs = 86_400_000;
/** How long before its expiry a Card is renewed, and its Program reminded. */
const renewedMs = 45 * dayMs;
const remindedMs = 60 * dayMs;

const renewable: readonly CardStatus[] = [CardStatus.active, CardStatus.onHold];

/** It is valid to the end of the month, in UTC. One that has expired is due no more. */
function expiresWithin(ms: number, { expiryYear, expiryMonth }: Expiry, at: Date): boolean {
  const isValid = !isExpired({ expiryYear, expiryMonth }, at);
  return isValid && Date.UTC(expiryYear, expiryMonth, 1) - ms <= at.getTime();
}

function isRenewable(card: Card): boolean {
  return renewable.includes(card.issuerCardStatus) && !isBlocked(card) && card.pendingPlasticId === undefined;
}

export function isRenewalDue(card: Card, at: Date): boolean {
  return isRenewable(card) && expiresWithin(renewedMs, card, at);
}

export function isReminderDue(card: Card, at: Date): boolean {
  const isNew = card.remindedExpiry !== toMonth(card);
  return isNew && isRenewable(card) && expiresWithin(remindedMs, card, at);
}

function toMonth({ expiryYear, expiryMonth }: Expiry): string {
  return `${expiryYear}-${String(expiryMonth).padStart(2, "0")}`;
}

/** As a request does, if it is still due: of two that find it due, one renews. */
export const renewalOfDue: Change<ReplacementRequest, Replaced, Replacement | undefined, Refusal> = {
  reads: replacement.reads,
  decide: (request, found, at) => {
    if (!found.card || !isRenewalDue(found.card, at)) return { done: undefined };
    return replacement.decide(request, found, at);
  },
};

/** The mark on the Card is what endpoints are told of. Nothing happens if it changed meanwhile. */
export async function remind(programId: string, card: Card): Promise<void> {
  const { expiryMonth, expiryYear, remindedExpiry } = card;
  await cards.at(programId, card.entityId).updateNow(
    { set: { remindedExpiry: toMonth(card) } },
    {
      ...{ expiryMonth, expiryYear, remindedExpiry },
      ...{ issuerCardStatus: oneOf(renewable), pendingPlasticId: absent },
      ...isNotBlocked,
    },
  );
}
