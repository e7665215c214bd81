import { type Card, cards, hasOwnMoney, hasStatusIn } from "../cards/card.ts";
import { CardStatus } from "../contract/enums.ts";
import type { TopUpSet } from "../contract/top-ups.ts";
import { accountAt } from "../ledger/account.ts";
import { ApiError } from "../platform/http/api-error.ts";
import { all, isNew, not } from "../platform/table/condition.ts";
import { Conflict, retryDecision } from "../platform/table/retry.ts";
import { transact } from "../platform/table/transact.ts";
import { type Actor, type AuditAction, auditProgram } from "../tenancy/audit-log.ts";
import { type TopUp, topUps, waitEnds } from "./top-up.ts";

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
    if (!card || !wallet) throw new ApiError("NOT_FOUND");
    if (card.fundingWalletId !== undefined) throw new ApiError("CARD_FUNDED_BY_WALLET");
    if (card.issuerCardStatus === CardStatus.closed) throw new ApiError("ILLEGAL_TRANSITION");
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
