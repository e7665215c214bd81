import { type Card, cards, toCardIdentity } from "../cards/card.ts";
import { defineChange, later, unread } from "../changes/change.ts";
import { execute } from "../changes/execute.ts";
import { DestinationType, TransferStatus } from "../contract/enums.ts";
import type { OutboxEvent } from "../contract/outbox.ts";
import { accountAt } from "../ledger/account.ts";
import { readAccount } from "../ledger/hot-wallets.ts";
import { hourMs, now, timestamp } from "../platform/clock.ts";
import { type DueDeadline, deadlineClaim, deadlineReplace, toStoredDeadline } from "../platform/deadlines.ts";
import { newId } from "../platform/id.ts";
import { inLanes } from "../platform/in-lanes.ts";
import { below } from "../platform/table/condition.ts";
import { transact, type WriteAction } from "../platform/table/transact.ts";
import { isTimeUp, withinTime } from "../platform/time-budget.ts";
import { getProgram } from "../tenancy/programs/program.ts";
import { type ProgramTime, programDateAt, programDay } from "../tenancy/programs/program-days.ts";
import { recordOnCard } from "../wallets/card-movement.ts";
import { decideTransfer, ownTransfer, type Transfer } from "../wallets/transfer.ts";
import {
  asSeen,
  isDue,
  retryDeadline,
  stillDue,
  type TopUp,
  topUpResume,
  topUpRetry,
  topUps,
  topUpWaits,
  usedOn,
  waitEnds,
} from "./top-up.ts";

/** Moves what is due. Returns whether there may be more, for want of time. */
async function topUpCard({ programId, cardId }: { programId: string; cardId: string }): Promise<boolean> {
  const [program, topUp] = await Promise.all([getProgram(programId), topUps.at(programId, cardId).get()]);
  if (!program || !topUp) return false;
  const { walletId } = topUp;
  do {
    const move = { programId, cardId, transferId: newId("transfer"), walletId, program };
    const outcome = await execute(topUpMove, move);
    if (!("answer" in outcome) || outcome.answer !== "moved") return false;
  } while (!isTimeUp());
  return true;
}

const stepMs = 8_000;

/** The job of one Card that has fallen below its threshold. */
export function topUpInSteps({ programId, detail }: OutboxEvent): Promise<OutboxEvent["detail"] | undefined> {
  const cardId = String(detail.cardId);
  return withinTime(stepMs, async () => ((await topUpCard({ programId, cardId })) ? { cardId } : undefined));
}

/** A new day has begun. */
export function resumeTopUp(deadline: DueDeadline): Promise<boolean> {
  return topUpCard({ programId: deadline.ownerId, cardId: topUpResume.parse(deadline).cardId });
}

const lanes = 4;
/** More than there is time for. A Wallet may have a million Cards that wait. */
const mostTried = 2_000;

/** Tries those for whom the Wallet has the money now, and those that were tried an hour ago. */
export async function retryTopUps(deadline: DueDeadline): Promise<void> {
  const { ownerId: programId } = deadline;
  const { walletId } = topUpRetry.parse(deadline);
  const at = now();
  const wallet = await readAccount(programId, { kind: "wallet", accountId: walletId });
  let leftMinor = wallet?.availableMinor ?? 0;
  const tried: string[] = [];
  for await (const wait of topUpWaits.walk([programId, walletId])) {
    const isPayable = wait.amountMinor <= leftMinor;
    if (isPayable) leftMinor -= wait.amountMinor;
    if (isPayable || isTriedLongAgo(wait, at)) tried.push(wait.cardId);
    if (tried.length === mostTried) break;
  }
  await inLanes(
    tried,
    async (cardId) => {
      if (!isTimeUp()) await topUpCard({ programId, cardId });
    },
    lanes,
  );
  const [left] = await topUpWaits.first(1, programId, walletId);
  const isMore = isTimeUp() || tried.length === mostTried;
  const next = isMore ? at : retryDeadline(programId, walletId, at).dueAt;
  await transact([deadlineClaim(deadline, left && next)]);
}

interface TopUpMove {
  readonly programId: string;
  readonly cardId: string;
  readonly transferId: string;
  /** The Wallet of the top-up as it was read before. */
  readonly walletId: string;
  readonly program: ProgramTime;
}

/** What waits, and lacks the money still, is recorded and told again. */
function isTriedLongAgo({ lackedAt }: Pick<TopUp, "lackedAt">, at: Date): boolean {
  return lackedAt === undefined || Date.parse(lackedAt) + hourMs <= at.getTime();
}

/** `moved`: there may be more to move. */
type Outcome = "moved" | "lacking" | "spent" | "done";

type FromWallet = Extract<Transfer, { readonly sourceWalletId: string }>;

/** As many amounts as the Card lacks, and the Wallet, once it was read, has: one at least. */
function wholeAmounts(card: Card, { thresholdMinor, amountMinor }: TopUp, availableMinor: number): number {
  const lacking = Math.ceil((thresholdMinor - card.availableMinor) / amountMinor);
  const covered = Math.floor(availableMinor / amountMinor);
  return Math.max(1, Math.min(lacking, covered)) * amountMinor;
}

/** Moves what the Card lacks at once, and nothing if the Wallet has not one amount. */
const topUpMove = defineChange<TopUpMove, Outcome, never>()({
  reads: ({ programId, cardId, walletId }) => ({
    destination: cards.at(programId, cardId),
    topUp: topUps.at(programId, cardId),
    source: later(accountAt(programId, { kind: "wallet", accountId: walletId })),
    transfer: ownTransfer<FromWallet>(),
  }),
  decide: (move, { destination: card, topUp, source, transfer }, at) => {
    if (transfer && transfer !== unread) return { done: transfer.declineReason ? "lacking" : "moved" };
    if (!card || !topUp || !source || topUp.walletId !== move.walletId) return { done: "done" };
    if (!isDue(card, topUp)) return endWait(move, card, topUp);
    const today = programDateAt(move.program, at);
    const usedMinor = usedOn(topUp, today);
    const leftMinor = (topUp.dailyMaxMinor ?? Number.POSITIVE_INFINITY) - usedMinor;
    if (leftMinor <= 0) return waitForDay(move, topUp, programDay(move.program, today).until);
    const wallet = source === unread ? undefined : source;
    const { availableMinor = Number.MAX_SAFE_INTEGER } = wallet ?? {};
    const amountMinor = Math.min(wholeAmounts(card, topUp, availableMinor), leftMinor);
    const isLacking = wallet !== undefined && wallet.availableMinor < amountMinor;
    if (isLacking && !isTriedLongAgo(topUp, at)) return { done: "lacking" };
    const day = topUp.day !== undefined && topUp.day > today ? topUp.day : today;
    const used = { day, usedMinor: usedMinor + amountMinor };
    const isWhole = isLacking && !wallet.shards;
    const { answer: _, ...decided } = decideTransfer({
      programId: move.programId,
      at,
      transfer: toTransfer(move, card, amountMinor, isLacking, at),
      // A hot Wallet lacked the money at the moment at which all of it was read.
      source: isLacking
        ? isWhole
          ? { require: { availableMinor: below(amountMinor) } }
          : undefined
        : { isCovered: true },
      destination: stillDue(topUp, amountMinor),
      card: toCardIdentity(move.programId, card),
      recordOnCard,
      seenMinor: card.ledgerMinor,
    });
    const writes = isLacking ? waitWrites(move, topUp, amountMinor, at) : usedWrites(move, topUp, used);
    return {
      ...decided,
      writes: [...decided.writes, ...writes],
      answer: isLacking ? ("lacking" as const) : ("moved" as const),
    };
  },
});

function toTransfer(
  { cardId, walletId, transferId }: TopUpMove,
  { currency }: Card,
  amountMinor: number,
  isLacking: boolean,
  at: Date,
): FromWallet {
  return {
    transferId,
    transStatus: isLacking ? TransferStatus.declined : TransferStatus.approved,
    sourceWalletId: walletId,
    destinationType: DestinationType.card,
    destinationId: cardId,
    requestedAmountMinor: amountMinor,
    transferredAmountMinor: isLacking ? 0 : amountMinor,
    currency,
    ...(isLacking && { declineReason: "INSUFFICIENT_FUNDS" as const }),
    automatic: true,
    createdAt: timestamp(at),
  };
}

function nextVersion({ programId, cardId }: TopUpMove, topUp: TopUp, set: Partial<TopUp>): WriteAction {
  const { version, lackedAt } = topUp;
  const remove = lackedAt !== undefined && set.lackedAt === undefined ? (["lackedAt"] as const) : [];
  return topUps.at(programId, cardId).update({ set: { ...set, version: version + 1 }, remove }, { version });
}

function usedWrites(move: TopUpMove, topUp: TopUp, used: Pick<TopUp, "day" | "usedMinor">): WriteAction[] {
  return [nextVersion(move, topUp, used), ...waitEnds(move.programId, topUp)];
}

function waitWrites(move: TopUpMove, topUp: TopUp, amountMinor: number, at: Date): WriteAction[] {
  const { programId, walletId, cardId } = move;
  const lackedAt = timestamp(at);
  const isSame = lackedAt === topUp.lackedAt;
  return [
    nextVersion(move, topUp, { lackedAt }),
    ...(isSame ? [] : waitEnds(programId, topUp)),
    topUpWaits.at(programId, walletId, lackedAt, cardId).put({ cardId, lackedAt, amountMinor }),
    deadlineReplace(retryDeadline(programId, walletId, at)),
  ];
}

/** It is not due any more. A later fall begins anew: the Card is as it was seen. */
function endWait(move: TopUpMove, card: Card, topUp: TopUp) {
  if (topUp.lackedAt === undefined) return { done: "done" as const };
  const unchanged = { ...cards.at(move.programId, move.cardId).check(asSeen(card)), name: "destination" };
  return {
    writes: [unchanged, nextVersion(move, topUp, {}), ...waitEnds(move.programId, topUp)],
    answer: "done" as const,
  };
}

/** Nothing is left of the day: it goes on with the next one. */
function waitForDay(move: TopUpMove, topUp: TopUp, dueAt: Date) {
  const { programId, cardId } = move;
  const deadline = toStoredDeadline(
    topUpResume.at({ ownerId: programId, deadlineId: `top-up:${cardId}`, dueAt, cardId }),
  );
  if (topUp.dueAt === deadline.dueAt && topUp.lackedAt === undefined) return { done: "spent" as const };
  return {
    writes: [nextVersion(move, topUp, deadline), ...waitEnds(programId, topUp)],
    answer: "spent" as const,
  };
}
