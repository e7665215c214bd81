import { createHash, timingSafeEqual } from "node:crypto";
import * as z from "zod";
import {
  maximumOpenChallenges,
  maximumOtpListeners,
  type OtpChallenge,
  type OtpListenerView,
  type OtpRetrieveResponse,
} from "../contract/otp.ts";
import { timestamp } from "../contract/primitives.ts";
import { merchantFields } from "../contract/settled.ts";
import { now, timestamp as toTimestamp, unixSeconds } from "../platform/clock.ts";
import { deadlineDelete, deadlinePut, defineDeadline } from "../platform/deadlines.ts";
import { randomInteger } from "../platform/id.ts";
import { outboxPut } from "../platform/outbox/outbox-put.ts";
import { pick } from "../platform/pick.ts";
import { readBatch } from "../platform/table/batch.ts";
import { absent, all, any, type Change, exists, fewerThan, present } from "../platform/table/condition.ts";
import { defineEntity } from "../platform/table/entity.ts";
import type { FailedConditions, WriteAction } from "../platform/table/transact.ts";

/** A challenge is void after this number of wrong codes: 1 guess in 200,000 succeeds. */
const maximumWrongCodes = 5;

/** A purchase that is confirmed by a code. The code is stored only here, while it is usable. */
const Challenge = z.object({
  challengeId: z.string(),
  programId: z.string(),
  cardId: z.string(),
  /** Absent after its use, its expiry, or too many wrong codes. */
  code: z.string().optional(),
  wrongCodes: z.int(),
  expiresAt: timestamp,
  /** The purchase, as far as its sender described it. In minor units of the card's currency. */
  amount: z.int().optional(),
  ...merchantFields,
  /** A token that waits for the code, in the place of a purchase. */
  tokenId: z.string().optional(),
  consumedAt: timestamp.optional(),
  createdAt: timestamp,
  expiresAtSeconds: z.int(),
});
export type Challenge = Readonly<z.output<typeof Challenge>>;

/** With a code that can be used. */
type OpenChallenge = Challenge & { readonly code: string };

/** The write that fails if the challenge changed meanwhile. */
const challengeWrite = "challenge";

export const challenges = defineEntity({
  name: challengeWrite,
  schema: Challenge,
  key: (programId: string, challengeId: string) => ({ pk: `${programId}#${challengeId}`, sk: "CHALLENGE" }),
});

/** The code expires at `expiresAt` itself, before the sweep deletes it. */
export function isUsable(challenge: Challenge, at: Date): challenge is OpenChallenge {
  return challenge.code !== undefined && at < new Date(challenge.expiresAt);
}

export function toOtpView(challenge: Challenge, at: Date): OtpRetrieveResponse {
  const { code, expiresAt, consumedAt } = challenge;
  if (consumedAt !== undefined) return { status: "consumed", expiresAt };
  return isUsable(challenge, at) ? { status: "received", code, expiresAt } : { status: "expired", expiresAt };
}

/** How long a challenge outlives its code. The outcome is kept for good, with its event. */
const keptSeconds = 90 * 86_400;
const passcodeExpiry = defineDeadline("forget_code", "normal");
/** A token's passcode ends with its verification. */
export const verificationExpiry = defineDeadline(
  "end_verification",
  "normal",
  z.object({ tokenId: z.string() }),
);

/** A new challenge whose code these subscriptions can retrieve, with an alert for each URL. */
export function newChallengeWrites(
  given: Omit<Challenge, "code" | "wrongCodes" | "expiresAtSeconds">,
  { listenerIds, webhookListenerIds }: ListenerIds,
  at: Date,
): WriteAction[] {
  const { programId, challengeId } = given;
  return [
    ...challengePuts({ ...given, code: String(randomInteger(0, 1_000_000)).padStart(6, "0"), wrongCodes: 0 }),
    ...listenerIds.map((listenerId) => listenerUpdate(programId, listenerId, challengeId)),
    // Without code and token: the sender of the alert reads them itself.
    ...webhookListenerIds.map((listenerId) =>
      outboxPut(programId, "otp.challenged", { listenerId, challengeId }, at),
    ),
  ];
}

/** A new challenge, with the deadline at which its code is deleted. */
function challengePuts(challenge: Omit<Challenge, "expiresAtSeconds">): WriteAction[] {
  const { programId: ownerId, challengeId: deadlineId, expiresAt, tokenId } = challenge;
  const due = { ownerId, deadlineId, dueAt: new Date(expiresAt) };
  const expiresAtSeconds = unixSeconds(new Date(expiresAt)) + keptSeconds;
  return [
    challenges.at(ownerId, deadlineId).create({ ...challenge, expiresAtSeconds }),
    deadlinePut(tokenId === undefined ? passcodeExpiry.at(due) : verificationExpiry.at({ ...due, tokenId })),
  ];
}

export type CodeFailure = "WRONG_CODE" | "EXPIRED" | "ATTEMPTS_EXHAUSTED";

interface TriedCode {
  /** Absent if the code was right. */
  readonly failure?: CodeFailure;
  /** It was wrong, and the last one that the challenge takes. */
  readonly isLast?: boolean;
  readonly writes: readonly WriteAction[];
}

/** What a code that was entered comes to. Its writes require the challenge as it was read. */
export function tryCode(challenge: Challenge, code: string, at: Date): TriedCode {
  if (challenge.wrongCodes >= maximumWrongCodes) return { failure: "ATTEMPTS_EXHAUSTED", writes: [] };
  if (!isUsable(challenge, at)) return { failure: "EXPIRED", writes: [] };
  if (isSame(code, challenge.code)) return { writes: consumptionWrites(challenge, at) };
  const isLast = challenge.wrongCodes + 1 >= maximumWrongCodes;
  return { failure: "WRONG_CODE", isLast, writes: wrongGuessWrites(challenge) };
}

/** Constant time: does not reveal how many digits are right. */
function isSame(given: string, code: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(code)];
  return one.byteLength === other.byteLength && timingSafeEqual(one, other);
}

/** The code was right: used, and deleted. */
function consumptionWrites(challenge: Challenge, at: Date): WriteAction[] {
  return [
    challengeUpdate(challenge, { set: { consumedAt: toTimestamp(at) }, remove: ["code"] }),
    deadlineDelete(challenge.programId, challenge.challengeId),
  ];
}

/** Counts a wrong code; the last one voids the challenge, even if guesses are simultaneous. */
function wrongGuessWrites(challenge: Challenge): WriteAction[] {
  const wrongCodes = challenge.wrongCodes + 1;
  if (wrongCodes < maximumWrongCodes) return [challengeUpdate(challenge, { set: { wrongCodes } })];
  return [
    challengeUpdate(challenge, { set: { wrongCodes }, remove: ["code"] }),
    deadlineDelete(challenge.programId, challenge.challengeId),
  ];
}

export function codeDeletionWrites(challenge: Challenge): WriteAction[] {
  return [
    challengeUpdate(challenge, { remove: ["code"] }),
    deadlineDelete(challenge.programId, challenge.challengeId),
  ];
}

/** Requires that the challenge is as it was read. */
function challengeUpdate({ programId, challengeId, wrongCodes }: Challenge, change: Change<Challenge>) {
  return challenges.at(programId, challengeId).update(change, { code: present, wrongCodes });
}

/** Begins the names of the writes that fail if a subscription has ended or is full. */
const listenerWrite = "listener ";

/** A subscription to the passcodes of a Card or a Cardholder. Its token is not stored. */
const OtpListener = z.object({
  /** The hash of its token. */
  listenerId: z.string(),
  programId: z.string(),
  /** One of the two. */
  cardId: z.string().optional(),
  cardholderId: z.string().optional(),
  webhookUrl: z.string().optional(),
  /** Signs its callbacks; only with a `webhookUrl`. */
  secret: z.string().optional(),
  /** Those whose codes it can retrieve. Closed ones leave when room is needed. */
  challengeIds: z.set(z.string()).optional(),
  createdAt: timestamp,
});
export type OtpListener = Readonly<z.output<typeof OtpListener>>;

/** Read by a hash within the Program: the duration reveals nothing about other tokens. */
export const listeners = defineEntity({
  name: "listener",
  schema: OtpListener,
  key: (programId: string, listenerId: string) => ({
    pk: `${programId}#OTP#${listenerId}`,
    sk: "OTP_LISTENER",
  }),
});

/** The write that fails if the Card or Cardholder has the maximum number of subscriptions. */
export const listenersWrite = "listeners";

const OtpListeners = z.object({
  listenerIds: z.set(z.string()).optional(),
  /** Those with a `webhookUrl`. */
  calledBackIds: z.set(z.string()).optional(),
});
const listenersOfSubject = defineEntity({
  name: listenersWrite,
  schema: OtpListeners,
  key: (programId: string, subjectId: string) => ({ pk: `${programId}#${subjectId}`, sk: "OTP_LISTENERS" }),
});

/** Shows only the host of the URL: a path or query may hold a credential. */
export function toListenerView(listener: OtpListener): OtpListenerView {
  const { listenerId, cardId, cardholderId, webhookUrl, createdAt } = listener;
  return {
    listenerId,
    cardId,
    cardholderId,
    ...(webhookUrl !== undefined && { webhookHost: new URL(webhookUrl).host }),
    dateCreated: createdAt,
  };
}

/** A token has 256 random bits: its hash needs neither salt nor stretching. */
export function toListenerId(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/** `listenersWrite` fails if the Card or Cardholder has as many subscriptions as it may. */
export function subscriptionWrites(listener: OtpListener): WriteAction[] {
  const { programId, listenerId, webhookUrl } = listener;
  const own = new Set([listenerId]);
  const hasRoom = any<z.output<typeof OtpListeners>>(
    { listenerIds: absent },
    { listenerIds: fewerThan(maximumOtpListeners) },
  );
  return [
    listeners.at(programId, listenerId).create(listener),
    listenersOfSubject
      .at(programId, getSubjectId(listener))
      .update(
        { add: { listenerIds: own, ...(webhookUrl !== undefined && { calledBackIds: own }) } },
        hasRoom,
      ),
  ];
}

/** Deletes a subscription. Fails if it does not exist any more. */
export function unsubscriptionWrites(listener: OtpListener): WriteAction[] {
  const { programId, listenerId } = listener;
  const own = new Set([listenerId]);
  return [
    listeners.at(programId, listenerId).delete(exists),
    listenersOfSubject
      .at(programId, getSubjectId(listener))
      .update({ discard: { listenerIds: own, calledBackIds: own } }),
  ];
}

/**
 * Adds a challenge whose code can be retrieved; of simultaneous ones, all. Fails if the
 * subscription has ended, or has no room.
 */
export function listenerUpdate(programId: string, listenerId: string, challengeId: string): WriteAction {
  const hasRoom = all<OtpListener>(
    exists,
    any({ challengeIds: absent }, { challengeIds: fewerThan(maximumOpenChallenges) }),
  );
  const add = { challengeIds: new Set([challengeId]) };
  return {
    ...listeners.at(programId, listenerId).update({ add }, hasRoom),
    name: `${listenerWrite}${listenerId}`,
  };
}

function getSubjectId({ cardId, cardholderId, listenerId }: OtpListener): string {
  const subjectId = cardId ?? cardholderId;
  if (subjectId === undefined) {
    throw new Error(`The subscription ${listenerId} has neither a Card nor a Cardholder.`);
  }
  return subjectId;
}

export interface ListenerIds {
  readonly listenerIds: readonly string[];
  /** Those of them that have a `webhookUrl`. */
  readonly webhookListenerIds: readonly string[];
}

/** The subscriptions of these Cards and Cardholders. */
export async function readListenerIds(programId: string, ...subjectIds: string[]): Promise<ListenerIds> {
  const found = await Promise.all(subjectIds.map((id) => listenersOfSubject.at(programId, id).get()));
  return {
    listenerIds: found.flatMap((one) => [...(one?.listenerIds ?? [])]),
    webhookListenerIds: found.flatMap((one) => [...(one?.calledBackIds ?? [])]),
  };
}

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
  return {
    ...pick(challenge, "challengeId", "cardId", "code", "expiresAt", "amount", "tokenId", "merchantName"),
    ...pick(challenge, "mcc", "merchantId", "merchantCity", "merchantCountry", "srcAmount", "srcCurrency"),
    status: "received",
    dateCreated: challenge.createdAt,
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
