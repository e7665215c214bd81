import * as z from "zod";
import { type Card, cards, hasOwnMoney, hasStatusIn } from "../cards/card.ts";
import { isBlocked, isNotBlocked } from "../cards/usable.ts";
import { CardStatus } from "../contract/enums.ts";
import type { TopUpSet, TopUpView } from "../contract/top-ups.ts";
import { accountAt } from "../ledger/account.ts";
import { minuteMs } from "../platform/clock.ts";
import { CarriedDeadline, type Deadline, defineDeadline } from "../platform/deadlines.ts";
import { ApiError, missing, statusError } from "../platform/http/api-error.ts";
import { absent, all, below, type Condition, isNew, not } from "../platform/table/condition.ts";
import { defineEntity } from "../platform/table/entity.ts";
import { Conflict, retryDecision } from "../platform/table/retry.ts";
import { transact, type WriteAction } from "../platform/table/transact.ts";
import { type Actor, type AuditAction, auditProgram } from "../tenancy/audit-log.ts";
import { type ProgramTime, programDateAt } from "../tenancy/programs/program-days.ts";

/** While nothing is left of a day, it is its own deadline: at the beginning of the next one. */
const TopUp = z.object({
  cardId: z.string(),
  walletId: z.string(),
  thresholdMinor: z.int(),
  amountMinor: z.int(),
  dailyMaxMinor: z.int().optional(),
  active: z.boolean(),
  /** Counts its changes: of two at once, one wins. */
  version: z.int(),
  /** The last day of the Program on which it moved something, and how much. */
  day: z.string().optional(),
  usedMinor: z.int().optional(),
  /** When the Wallet lacked the money last. */
  lackedAt: z.string().optional(),
  createdAt: z.string(),
  changedAt: z.string(),
  ...CarriedDeadline.shape,
});
export type TopUp = Readonly<z.output<typeof TopUp>>;

export const topUps = defineEntity({
  name: "topUp",
  schema: TopUp,
  key: (programId: string, cardId: string) => ({ pk: `${programId}#${cardId}`, sk: "TOP_UP" }),
});

/** A Card that waits for a Wallet's money: first the one that was tried first. */
const TopUpWait = z.object({
  cardId: z.string(),
  lackedAt: z.string(),
  /** What the Wallet lacked. */
  amountMinor: z.int(),
});

export const topUpWaits = defineEntity({
  name: "topUpWait",
  schema: TopUpWait,
  key: (programId: string, walletId: string, lackedAt: string, cardId: string) => ({
    pk: `${programId}#${walletId}#TOP_UPS`,
    sk: `WAIT#${lackedAt}#${cardId}`,
  }),
});

export const topUpResume = defineDeadline("resume_top_up", "normal", z.object({ cardId: z.string() }));
export const topUpRetry = defineDeadline("retry_top_ups", "normal", z.object({ walletId: z.string() }));

/**
 * One for all Cards that wait for a Wallet, at the beginning of a minute: however often it is set
 * anew, it becomes due.
 */
export function retryDeadline(programId: string, walletId: string, at: Date): Deadline {
  const dueAt = new Date(Math.floor(at.getTime() / minuteMs + 1) * minuteMs);
  return topUpRetry.at({ ownerId: programId, deadlineId: `top-ups:${walletId}`, dueAt, walletId });
}

/** The Card waits no more. */
export function waitEnds(programId: string, { walletId, lackedAt, cardId }: TopUp): WriteAction[] {
  return lackedAt === undefined ? [] : [topUpWaits.at(programId, walletId, lackedAt, cardId).delete()];
}

/** What has moved on this day, or on one that a clock which is ahead has begun. */
export function usedOn({ day, usedMinor = 0 }: TopUp, today: string): number {
  return day !== undefined && today <= day ? usedMinor : 0;
}

type Funded = Pick<
  Card,
  "issuerCardStatus" | "availableMinor" | "blockedAt" | "cardholderBlockedAt" | "fundingWalletId"
>;

export function isDue(card: Funded, { active, thresholdMinor }: TopUp): boolean {
  const isUsable = card.issuerCardStatus === CardStatus.active && !isBlocked(card);
  const takesMoney = isUsable && card.fundingWalletId === undefined;
  return active && takesMoney && card.availableMinor < thresholdMinor;
}

/** As `isDue` finds the Card: without the last amount of what moves, it would still be below. */
export function stillDue({ thresholdMinor, amountMinor }: TopUp, movedMinor: number): Condition<Card> {
  const { active: issuerCardStatus } = CardStatus;
  const lowMinor = thresholdMinor - Math.max(0, movedMinor - amountMinor);
  const isLow = { issuerCardStatus, availableMinor: below(lowMinor) };
  return all<Card>(isLow, isNotBlocked, hasOwnMoney);
}

/** The Card as it was seen, in all that decides whether it is due. */
export function asSeen({ issuerCardStatus, availableMinor, ...card }: Funded): Condition<Card> {
  const { blockedAt = absent, cardholderBlockedAt = absent, fundingWalletId = absent } = card;
  return { issuerCardStatus, availableMinor, blockedAt, cardholderBlockedAt, fundingWalletId };
}

export function toTopUpView(topUp: TopUp, program: ProgramTime, at: Date): TopUpView {
  const { cardId, walletId, thresholdMinor, amountMinor, dailyMaxMinor, active, lackedAt } = topUp;
  return {
    ...{ cardId, walletId, threshold: thresholdMinor, amount: amountMinor },
    ...(dailyMaxMinor !== undefined && { dailyMax: dailyMaxMinor }),
    active,
    usedToday: usedOn(topUp, programDateAt(program, at)),
    ...(lackedAt !== undefined && { lackedAt }),
    dateCreated: topUp.createdAt,
    dateChanged: topUp.changedAt,
  };
}

interface Scope {
  readonly tenantId: string;
  readonly programId: string;
  readonly cardId: string;
  readonly actor: Actor;
}

const isOpen = not<Card>(hasStatusIn([CardStatus.closed]));

/**
 * Replaces it whole; what has moved on this day stays counted. The Card's item changes too: if it
 * is below the threshold already, it is topped up at once.
 * @throws ApiError NOT_FOUND, ILLEGAL_TRANSITION for a Closed Card, CARD_FUNDED_BY_WALLET
 */
export function putTopUp(scope: Scope, given: TopUpSet): Promise<TopUp> {
  const { programId, cardId, actor } = scope;
  return retryDecision(async () => {
    const [card, wallet, before] = await Promise.all([
      cards.at(programId, cardId).get(),
      accountAt(programId, { kind: "wallet", accountId: given.walletId }).get(),
      topUps.at(programId, cardId).get(),
    ]);
    if (!card || !wallet) throw new ApiError("NOT_FOUND", missing({ walletId: wallet }));
    if (card.fundingWalletId !== undefined) throw new ApiError("CARD_FUNDED_BY_WALLET");
    if (card.issuerCardStatus === CardStatus.closed) throw statusError(CardStatus.closed, [], CardStatus);
    const after = toTopUp(cardId, given, before, actor.at);
    const { thresholdMinor: topUpBelowMinor } = after;
    const change = after.active ? { set: { topUpBelowMinor } } : ({ remove: ["topUpBelowMinor"] } as const);
    const stored = topUps.at(programId, cardId);
    const outcome = await transact([
      stored.put(after, before ? { version: before.version } : isNew),
      cards.at(programId, cardId).update(change, all<Card>(isOpen, hasOwnMoney)),
      ...(before ? waitEnds(programId, before) : []),
      audit(scope, "top-up.put", before, after),
    ]);
    return outcome.committed ? after : new Conflict(...outcome.failedConditions.keys());
  });
}

/** @throws ApiError NOT_FOUND if the Card has none */
export function deleteTopUp(scope: Scope): Promise<void> {
  const { programId, cardId } = scope;
  const stored = topUps.at(programId, cardId);
  return retryDecision(async () => {
    const before = await stored.require();
    const outcome = await transact([
      stored.delete({ version: before.version }),
      cards.at(programId, cardId).update({ remove: ["topUpBelowMinor"] }),
      ...waitEnds(programId, before),
      audit(scope, "top-up.delete", before, undefined),
    ]);
    return outcome.committed ? undefined : new Conflict(...outcome.failedConditions.keys());
  });
}

function toTopUp(cardId: string, given: TopUpSet, before: TopUp | undefined, at: string): TopUp {
  const { walletId, threshold, amount, dailyMax, active } = given;
  return {
    ...{ cardId, walletId, thresholdMinor: threshold, amountMinor: amount },
    ...(dailyMax !== undefined && { dailyMaxMinor: dailyMax }),
    active,
    version: (before?.version ?? 0) + 1,
    ...(before?.day !== undefined && { day: before.day, usedMinor: before.usedMinor }),
    createdAt: before?.createdAt ?? at,
    changedAt: at,
  };
}

function audit(scope: Scope, action: AuditAction, before: TopUp | undefined, after: TopUp | undefined) {
  const change = { before: toAudited(before), after: toAudited(after) };
  return auditProgram(scope.actor, scope, action, change, scope.cardId);
}

function toAudited(topUp: TopUp | undefined) {
  if (!topUp) return null;
  const { walletId, thresholdMinor: threshold, amountMinor: amount, dailyMaxMinor, active } = topUp;
  return {
    walletId,
    threshold,
    amount,
    ...(dailyMaxMinor !== undefined && { dailyMax: dailyMaxMinor }),
    active,
  };
}
