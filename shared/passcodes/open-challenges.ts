import { maximumOpenChallenges, type OtpChallenge } from "../contract/otp.ts";
import { now } from "../platform/clock.ts";
import { readBatch } from "../platform/table/batch.ts";
import { exists } from "../platform/table/condition.ts";
import type { FailedConditions } from "../platform/table/transact.ts";
import {
  type Challenge,
  challenges,
  isUsable,
  listeners,
  listenerWrite,
  type OpenChallenge,
  type OtpListener,
} from "./passcode.ts";

type Challenged = Pick<OtpListener, "programId" | "challengeIds">;

/** The newest first. A challenge that is deleted, long after its code, counts as none. */
async function readChallenges({ programId, challengeIds = new Set() }: Challenged): Promise<Challenge[]> {
  const items = await readBatch([...challengeIds].map((id) => challenges.at(programId, id).key));
  return items.map((item) => challenges.parse(item)).toSorted(newestFirst);
}

function newestFirst(left: Challenge, right: Challenge): number {
  const [one, other] = [left, right].map(({ createdAt, challengeId }) => `${createdAt} ${challengeId}`);
  return (one ?? "") < (other ?? "") ? 1 : -1;
}

/** The newest that is open or, without one, the newest. */
export async function readCurrentChallenge(listener: Challenged, at: Date): Promise<Challenge | undefined> {
  const found = await readChallenges(listener);
  return found.find((one) => isUsable(one, at)) ?? found[0];
}

export async function readOpenChallenges(listener: Challenged, at: Date): Promise<OpenChallenge[]> {
  return (await readChallenges(listener)).filter((one) => isUsable(one, at));
}

export function toChallengeView(challenge: OpenChallenge): OtpChallenge {
  const { challengeId, cardId, code, expiresAt, amount, createdAt } = challenge;
  const { merchantName, mcc, merchantId, merchantCity, merchantCountry, srcAmount, srcCurrency } = challenge;
  return {
    challengeId,
    cardId,
    status: "received",
    code,
    expiresAt,
    amount,
    merchantName,
    mcc,
    merchantId,
    merchantCity,
    merchantCountry,
    srcAmount,
    srcCurrency,
    dateCreated: createdAt,
  };
}

/**
 * Closed challenges leave the subscriptions that are full, except for the newest, which their
 * tokens may answer with. Where all are open, the oldest leaves.
 */
export async function makeRoom(failed: FailedConditions): Promise<void> {
  const full = [...failed]
    .filter(([name, item]) => name.startsWith(listenerWrite) && item !== undefined)
    .map(([, item]) => listeners.parse(item ?? {}))
    .filter(({ challengeIds }) => (challengeIds?.size ?? 0) >= maximumOpenChallenges);
  await Promise.all(full.map(makeRoomIn));
}

async function makeRoomIn(listener: OtpListener): Promise<void> {
  const { programId, listenerId, challengeIds = new Set() } = listener;
  const [at, found] = [now(), await readChallenges(listener)];
  const kept = found.filter((one, index) => index === 0 || isUsable(one, at));
  const keptIds = new Set(kept.slice(0, maximumOpenChallenges - 1).map(({ challengeId }) => challengeId));
  const leaving = new Set([...challengeIds].filter((id) => !keptIds.has(id)));
  await listeners.at(programId, listenerId).updateNow({ discard: { challengeIds: leaving } }, exists);
}
