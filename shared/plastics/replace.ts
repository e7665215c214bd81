import { type Card, cards } from "../cards/card.ts";
import { computeExpiry, shownPlasticId } from "../cards/card-plastic.ts";
import { listedPlasticChange } from "../cards/card-status.ts";
import { productionWrites } from "../cards/outside-requests.ts";
import { type Expiry, isBlocked, isExpired, isNotBlocked } from "../cards/usable.ts";
import { type Change, foundAnew, given, type OfProgram } from "../changes/change.ts";
import {
  CardForm,
  CardStatus,
  inUse,
  type PlasticReason,
  type ReplacementReason,
} from "../contract/enums.ts";
import type { PlasticView } from "../contract/plastics.ts";
import { dayMs, timestamp } from "../platform/clock.ts";
import { deadlineReplace } from "../platform/deadlines.ts";
import { illegalStatus, notFound, toLimitMessage } from "../platform/http/api-error.ts";
import { newId, randomInteger } from "../platform/id.ts";
import { absent, oneOf } from "../platform/table/condition.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { type Actor, auditPut } from "../tenancy/audit-log.ts";
import { isAsRead, plasticWrites, showing } from "./activate.ts";
import { endOfPlastic } from "./end-plastic.ts";
import {
  isLive,
  isLoss,
  type Plastic,
  plastics,
  replaced,
  stopped,
  toNumberId,
  toPlastics,
  untoldWrites,
} from "./plastic.ts";
import { toPlasticView } from "./plastic-view.ts";

/** A replacement, or a renewal. */
export interface ReplacementRequest extends OfProgram {
  readonly tenantId: string;
  readonly cardId: string;
  readonly reason: ReplacementReason | "renewed";
  readonly plasticId?: string | undefined;
  readonly shippingAddress?: Omit<NonNullable<Card["shippingAddress"]>, "recipient"> & {
    readonly recipient?: string | undefined;
  };
  readonly actor: Actor;
}

interface Replaced {
  readonly card: Card | undefined;
  readonly plastics: readonly Plastic[] | undefined;
  /** The plastics were read again, after the Card. */
  readonly isReadAgain: boolean | undefined;
}

type Refusal = "NOT_FOUND" | "CARD_BLOCKED" | "ILLEGAL_TRANSITION" | "REPLACEMENT_PENDING" | "LIMIT_REACHED";

/** The view without `pinSet`, and whether it has the number of an older one. */
interface Replacement {
  readonly made: Omit<PlasticView, "pinSet">;
  readonly numberId: string;
}

/** One transaction can stop all that have a number. */
const maximumPlastics = 50;

/**
 * Makes a plastic in the place of another. Number and code are the vault's, which draws them when
 * they are first needed: a process that is killed loses none. Of two at once, the Card lets one.
 */
export const replacement: Change<ReplacementRequest, Replaced, Replacement, Refusal> = {
  reads: ({ programId, cardId }) => ({
    card: cards.at(programId, cardId),
    plastics: readPlastics(programId, cardId),
    isReadAgain: given(false),
  }),
  decide: (request, { card, plastics: stored = [], isReadAgain }, at) => {
    if (!card) return { rejected: "NOT_FOUND" };
    if (isBlocked(card)) return { rejected: "CARD_BLOCKED" };
    if (!inUse.includes(card.issuerCardStatus))
      return illegalStatus(card.issuerCardStatus, inUse, CardStatus);
    const all = toPlastics(card, stored);
    if (!isReadAgain && areOlder(all, card)) {
      const again = readPlastics(request.programId, card.entityId);
      return { readMore: { plastics: again, isReadAgain: given(true) } };
    }
    const chosen = choosePlastic(request, card, all);
    if (chosen === "NOT_FOUND") return notFound({ plasticId: undefined });
    if (typeof chosen === "string") return { rejected: chosen };
    if (all.length >= maximumPlastics) {
      const message = toLimitMessage(maximumPlastics, "plastics of a Card", all.length);
      return { rejected: "LIMIT_REACHED", message };
    }
    const made = makePlastic(request, card, all, chosen, at);
    const changed = changeOthers(request, all, { chosen, made, at });
    return {
      writes: [
        ...plasticWrites(request.programId, card, all, [...changed, made]),
        cardUpdate(request.programId, card, made, changed),
        ...(card.cardForm === CardForm.physical ? productionWrites(request.programId, card, made) : []),
        ...untoldWrites(request.programId, chosen, made, at),
        ...(made.activateBy === undefined ? [] : [toDeadline(request.programId, made, made.activateBy)]),
        auditPut(request.actor, audited(request, chosen, made)),
      ],
      answer: { made: toPlasticView(card, made), numberId: toNumberId(made) },
    };
  },
};

function readPlastics(programId: string, cardId: string) {
  return foundAnew(() => plastics.list(programId, cardId));
}

/**
 * Both are read in one round: the Card may have been changed between. What is newer than the Card
 * fails with it; what is older is seen by their number, and by the state of what the Card shows.
 */
function areOlder(all: readonly Plastic[], card: Card): boolean {
  const shown = all.find(({ plasticId }) => plasticId === shownPlasticId(card));
  return all.length !== (card.plasticCount ?? 1) || (shown?.state === "active") !== hasActive(card);
}

function hasActive({ issuerCardStatus, awaitsPlastic }: Card): boolean {
  return issuerCardStatus !== CardStatus.notActivated && !awaitsPlastic;
}

/** The plastic that is replaced, or why none can be. */
function choosePlastic(
  { reason, plasticId }: ReplacementRequest,
  { pendingPlasticId }: Card,
  all: readonly Plastic[],
): Plastic | Refusal {
  const own = all.findLast((one) => isLive(one) && one.plasticId !== pendingPlasticId);
  const named = plasticId === undefined ? own : all.find((one) => one.plasticId === plasticId);
  if (plasticId !== undefined && !named) return "NOT_FOUND";
  if (isLoss(reason) ? named === undefined : pendingPlasticId !== undefined) return "REPLACEMENT_PENDING";
  return named && isLive(named) ? named : "ILLEGAL_TRANSITION";
}

function makePlastic(
  request: ReplacementRequest,
  card: Card,
  all: readonly Plastic[],
  chosen: Plastic,
  at: Date,
): Plastic {
  const { entityId: cardId, cardForm, bin } = card;
  const { reason, shippingAddress } = request;
  const plasticId = newId("plastic");
  const createdAt = timestamp(at);
  const isVirtual = cardForm === CardForm.virtual;
  const sameNumber = all.filter((one) => toNumberId(one) === toNumberId(chosen));
  const number = isLoss(reason)
    ? { bin, lastFour: otherLastFour(all), numberId: plasticId, ...computeExpiry(cardForm, at) }
    : {
        ...{ bin: chosen.bin, lastFour: chosen.lastFour, numberId: chosen.numberId },
        ...laterExpiry(computeExpiry(cardForm, at), sameNumber),
      };
  const to = shippingAddress && {
    recipient: card.shippingAddress?.recipient ?? card.nameOnCard,
    ...shippingAddress,
  };
  return {
    ...{ plasticId, cardId, sequence: all.length + 1, reason, createdAt, ...number },
    state: isVirtual ? "active" : "pending",
    ...(isVirtual
      ? { activatedAt: createdAt }
      : {
          shippingAddress: to ?? chosen.shippingAddress ?? card.shippingAddress,
          ...(livesOn(reason, chosen, at) && { activateBy: lastDay(chosen, at) }),
        }),
  };
}

/** The active one goes on while a damaged or renewed one is in the mail. */
function livesOn(reason: PlasticReason, { state, ...expiry }: Plastic, at: Date): boolean {
  return !isLoss(reason) && state === "active" && !isExpired(expiry, at);
}

const livesOnMs = 60 * 86_400_000;

/** Sixty days, or the end of its own expiry. */
function lastDay({ expiryYear, expiryMonth }: Expiry, at: Date): string {
  return timestamp(new Date(Math.min(at.getTime() + livesOnMs, Date.UTC(expiryYear, expiryMonth, 1))));
}

/** The code of a number is computed with the expiry: a later one has another. */
function laterExpiry(wanted: Expiry, others: readonly Expiry[]): Expiry {
  const months = ({ expiryYear, expiryMonth }: Expiry) => expiryYear * 12 + expiryMonth - 1;
  const month = Math.max(months(wanted), ...others.map((one) => months(one) + 1));
  return { expiryMonth: (month % 12) + 1, expiryYear: Math.floor(month / 12) };
}

/** Different from those of all its older numbers, so that the Cardholder can tell them apart. */
function otherLastFour(all: readonly Plastic[]): string {
  const taken = new Set(all.map(({ lastFour }) => Number(lastFour)));
  const free = Array.from({ length: 10_000 }, (_, number) => number).filter((number) => !taken.has(number));
  return String(free[randomInteger(0, free.length)]).padStart(4, "0");
}

/** The older ones that end in the same commit. */
function changeOthers(
  { reason }: ReplacementRequest,
  all: readonly Plastic[],
  { chosen, made, at }: { chosen: Plastic; made: Plastic; at: Date },
): Plastic[] {
  const endedAt = timestamp(at);
  if (isLoss(reason)) {
    const sameNumber = all.filter((one) => toNumberId(one) === toNumberId(chosen) && one.state !== "stopped");
    return sameNumber.map((one) => stopped(one, reason, endedAt));
  }
  if (made.state === "pending" && (chosen.state === "pending" || livesOn(reason, chosen, at))) return [];
  return [replaced(chosen, endedAt)];
}

function cardUpdate(programId: string, card: Card, made: Plastic, changed: readonly Plastic[]): WriteAction {
  const set = { plasticCount: made.sequence };
  const at = cards.at(programId, card.entityId);
  const isEnded = (id: string) => changed.some(({ plasticId }) => plasticId === id);
  const isActiveLeft = hasActive(card) && !isEnded(shownPlasticId(card));
  if (made.state === "active") {
    const { set: shows, remove } = showing(made);
    const update = { set: { ...set, ...shows }, remove: [...remove, "pendingPlasticId"] as const };
    return { ...at.update(update, isAsRead(card)), alongside: listedPlasticChange(programId, card, shows) };
  }
  const pending = { ...set, pendingPlasticId: made.plasticId };
  if (isActiveLeft) return at.update({ set: pending }, isAsRead(card));
  const { set: shows, remove } = showing(made);
  const update = { set: { ...pending, ...shows, awaitsPlastic: true as const }, remove };
  return { ...at.update(update, isAsRead(card)), alongside: listedPlasticChange(programId, card, shows) };
}

/** A later replacement overwrites it: then there is another to be activated. */
function toDeadline(programId: string, { cardId, plasticId }: Plastic, activateBy: string): WriteAction {
  const deadlineId = `plastic:${cardId}`;
  const dueAt = new Date(activateBy);
  return deadlineReplace(endOfPlastic.at({ ownerId: programId, deadlineId, dueAt, cardId, plasticId }));
}

function audited({ tenantId, programId, cardId, reason }: ReplacementRequest, from: Plastic, to: Plastic) {
  const action = reason === "renewed" ? "renew" : "replace";
  const after = { plasticId: to.plasticId, reason };
  const before = { plasticId: from.plasticId };
  return { tenantId, programId, action, subjectId: cardId, before, after } as const;
}

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
