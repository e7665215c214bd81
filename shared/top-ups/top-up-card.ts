import { execute } from "../changes/execute.ts";
import type { OutboxEvent } from "../contract/outbox.ts";
import { readAccount } from "../ledger/hot-wallets.ts";
import { now } from "../platform/clock.ts";
import { type DueDeadline, deadlineClaim } from "../platform/deadlines.ts";
import { newId } from "../platform/id.ts";
import { inLanes } from "../platform/in-lanes.ts";
import { transact } from "../platform/table/transact.ts";
import { isTimeUp, withinTime } from "../platform/time-budget.ts";
import { getProgram } from "../tenancy/programs/program.ts";
import { isTriedLongAgo, topUpMove } from "./move.ts";
import { retryDeadline, topUpResume, topUpRetry, topUps, topUpWaits } from "./top-up.ts";

interface CardToTopUp {
  readonly programId: string;
  readonly cardId: string;
}

/** Moves what is due, amount by amount. Returns whether there may be more, for want of time. */
async function topUpCard({ programId, cardId }: CardToTopUp): Promise<boolean> {
  const [program, topUp] = await Promise.all([getProgram(programId), topUps.at(programId, cardId).get()]);
  if (!program || !topUp) return false;
  const { timeZone } = program.settings;
  const { walletId } = topUp;
  do {
    const move = { programId, cardId, transferId: newId("transfer"), walletId, timeZone };
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
export async function resumeTopUp(deadline: DueDeadline): Promise<void> {
  const { cardId } = topUpResume.parse(deadline);
  const isLeft = await topUpCard({ programId: deadline.ownerId, cardId });
  // Fails if the next day is spent too, and has set it anew.
  if (!isLeft) await transact([deadlineClaim(deadline, undefined)]);
}

const lanes = 4;

/** Tries those for whom the Wallet has the money now, and those that were tried an hour ago. */
export async function retryTopUps(deadline: DueDeadline): Promise<void> {
  const { ownerId: programId } = deadline;
  const { walletId } = topUpRetry.parse(deadline);
  const at = now();
  const wallet = await readAccount(programId, { kind: "wallet", accountId: walletId });
  let leftMinor = wallet?.availableMinor ?? 0;
  const tried = (await topUpWaits.list(programId, walletId)).filter((wait) => {
    const isPayable = wait.amountMinor <= leftMinor;
    if (isPayable) leftMinor -= wait.amountMinor;
    return isPayable || isTriedLongAgo(wait, at);
  });
  await inLanes(
    tried,
    async ({ cardId }) => {
      if (!isTimeUp()) await topUpCard({ programId, cardId });
    },
    lanes,
  );
  const [left] = await topUpWaits.first(1, programId, walletId);
  const next = isTimeUp() ? at : retryDeadline(programId, walletId, at).dueAt;
  await transact([deadlineClaim(deadline, left && next)]);
}
