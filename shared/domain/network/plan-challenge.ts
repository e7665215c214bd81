import { timingSafeEqual } from "node:crypto";
import { now, timestamp } from "../../platform/clock.ts";
import { newId } from "../../platform/id.ts";
import { outboxPut } from "../../platform/outbox/outbox-put.ts";
import { getProgram } from "../../tenancy/programs/program.ts";
import { type CardIdentity, readCardIdentity } from "../cards/card.ts";
import { makeRoom } from "../passcodes/open-challenges.ts";
import {
  type Challenge,
  challengePuts,
  challengeWrite,
  consumptionWrites,
  isUsable,
  type ListenerIds,
  listenerUpdate,
  maximumWrongCodes,
  newOtpCode,
  readListenerIds,
  wrongGuessWrites,
} from "../passcodes/passcode.ts";
import type { EventOf } from "./card-event.ts";
import { isUsableAt } from "./decline.ts";
import { type AppliedResult, illegal, notFound, type Rejected, toMerchant } from "./plan.ts";
import type { PlanFromReads } from "./plan-from-reads.ts";

interface ChallengeSubject {
  readonly card: CardIdentity | undefined;
  /** Undefined in a Program without 3-D Secure. */
  readonly listeners?: ListenerIds;
}

export async function readChallengeSubject(event: EventOf<"three_ds_challenge">): Promise<ChallengeSubject> {
  const { programId, cardId } = event;
  const [card, { settings }] = await Promise.all([
    readCardIdentity(programId, cardId),
    getProgram(programId),
  ]);
  if (!card || !settings.threeDSecure) return { card };
  return { card, listeners: await readListenerIds(programId, cardId, card.cardholderId) };
}

/**
 * Creates a code for every subscription of the card and its Cardholder, an alert for each URL.
 * Illegal for a card that cannot be used.
 */
export function planChallenge(
  event: EventOf<"three_ds_challenge">,
  { card, listeners }: ChallengeSubject,
): PlanFromReads | Rejected {
  if (!card) return notFound;
  if (!listeners) return illegal;
  const { programId, cardId } = event;
  const at = now();
  const challenge = newChallenge(event, at);
  const { challengeId, expiresAt } = challenge;
  return {
    commit: {
      programId,
      at,
      accounts: [{ name: "account", account: { kind: "card", accountId: cardId }, require: isUsableAt(at) }],
      writes: [
        ...challengePuts(challenge),
        ...listeners.listenerIds.map((listenerId) => listenerUpdate(programId, listenerId, challengeId)),
        // Without code and token: the sender of the alert reads them itself.
        ...listeners.webhookListenerIds.map((listenerId) =>
          outboxPut(programId, "otp.challenged", { listenerId, challengeId }, at),
        ),
      ],
    },
    result: { outcome: "applied", challengeId, expiresAt },
    reject: (failed) => (failed.has("account") || failed.has(challengeWrite) ? illegal : undefined),
    prepare: makeRoom,
  };
}

function newChallenge(event: EventOf<"three_ds_challenge">, at: Date): Omit<Challenge, "expiresAtSeconds"> {
  const { programId, cardId, challengeId = newId("challenge"), expiresInSeconds, occurredAt, amount } = event;
  const startedAt = occurredAt === undefined ? at : new Date(occurredAt);
  return {
    challengeId,
    programId,
    cardId,
    code: newOtpCode(),
    wrongCodes: 0,
    ...(amount !== undefined && { amount }),
    ...toMerchant(event),
    expiresAt: timestamp(new Date(startedAt.getTime() + expiresInSeconds * 1000)),
    createdAt: timestamp(at),
  };
}

/** Checks the Cardholder's code. An answered challenge takes no other code. */
export function planCompletion(
  event: EventOf<"three_ds_completion">,
  challenge: Challenge | undefined,
): PlanFromReads | Rejected {
  if (!challenge) return notFound;
  if (challenge.consumedAt !== undefined) return illegal;
  const { programId, challengeId } = event;
  const at = now();
  const failure = findFailure(event.code, challenge, at);
  const wrongGuess = failure === "WRONG_CODE" ? wrongGuessWrites(challenge) : [];
  return {
    commit: {
      programId,
      at,
      accounts: [],
      writes: failure ? wrongGuess : consumptionWrites(challenge, at),
    },
    result: {
      outcome: "applied",
      challengeId,
      authenticated: !failure,
      ...(failure && { authenticationFailure: failure }),
    },
  };
}

function findFailure(code: string, challenge: Challenge, at: Date): AppliedResult["authenticationFailure"] {
  if (challenge.wrongCodes >= maximumWrongCodes) return "ATTEMPTS_EXHAUSTED";
  if (!isUsable(challenge, at)) return "EXPIRED";
  return isSame(code, challenge.code) ? undefined : "WRONG_CODE";
}

/** Constant time: does not reveal how many digits are right. */
function isSame(given: string, code: string | undefined): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(code ?? "")];
  return one.byteLength === other.byteLength && timingSafeEqual(one, other);
}
