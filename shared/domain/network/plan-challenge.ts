import { timingSafeEqual } from "node:crypto";
import type { ProcessorEvent } from "../../contract/processor.ts";
import { now, timestamp } from "../../platform/clock.ts";
import { newId } from "../../platform/id.ts";
import { outboxPut } from "../../platform/outbox/outbox-put.ts";
import type { WriteAction } from "../../platform/table/transact.ts";
import { getProgram } from "../../tenancy/programs/program.ts";
import { readCardIdentity } from "../cards/card.ts";
import {
  type Challenge,
  challengePuts,
  challenges,
  challengeWrite,
  consumptionWrites,
  isUsable,
  listenerUpdate,
  maximumWrongCodes,
  newOtpCode,
  readSubscribed,
  wrongGuessWrites,
} from "../passcodes/passcode.ts";
import { type EventPlan, illegal, notFound, type Planned } from "./event-plan.ts";
import { usable } from "./plan-authorization.ts";

type ChallengeEvent = Extract<ProcessorEvent, { kind: "three_ds_challenge" }>;
type CompletionEvent = Extract<ProcessorEvent, { kind: "three_ds_completion" }>;

/**
 * Makes a code for every subscription of the card and of its Cardholder, and an alert for each that has a URL. Illegal in a
 * Program without 3-D Secure, and for a card that cannot be used.
 */
export async function planChallenge(event: ChallengeEvent): Promise<Planned> {
  const { programId, cardId } = event;
  const [identity, program] = await Promise.all([readCardIdentity(programId, cardId), getProgram(programId)]);
  if (!identity) return notFound;
  if (!program.settings.threeDSecure) return illegal;
  const subscribed = await readSubscribed(programId, cardId, identity.cardholderId);
  const at = now();
  const challenge = newChallenge(event, at);
  const { challengeId, expiresAt } = challenge;
  return {
    commit: {
      programId,
      at,
      accounts: [
        {
          name: "account",
          account: { kind: "card", accountId: cardId },
          require: usable(at),
        },
      ],
      writes: [
        ...challengePuts(challenge),
        ...subscribed.listenerIds.map((listenerId) => listenerUpdate(programId, listenerId, challengeId)),
        // Without code and token: the sender of the alert reads them itself.
        ...subscribed.calledBackIds.map((listenerId) =>
          outboxPut(programId, "otp.challenged", { listenerId, challengeId }, at),
        ),
      ],
    },
    result: { outcome: "applied", challengeId, expiresAt },
    again: async (failed) =>
      failed.has("account") || failed.has(challengeWrite) ? illegal : planChallenge(event),
  };
}

function newChallenge(event: ChallengeEvent, at: Date): Challenge {
  const { programId, cardId, challengeId = newId("challenge"), expiresInSeconds, occurredAt } = event;
  const startedAt = occurredAt === undefined ? at : new Date(occurredAt);
  return {
    challengeId,
    programId,
    cardId,
    code: newOtpCode(),
    wrongCodes: 0,
    expiresAt: timestamp(new Date(startedAt.getTime() + expiresInSeconds * 1000)),
    createdAt: timestamp(at),
  };
}

/** The Cardholder's code: right and in time, or why not. An answered challenge takes no other code. */
export async function planCompletion(event: CompletionEvent): Promise<Planned> {
  const { programId, challengeId } = event;
  const challenge = await challenges.at(programId, challengeId).get();
  if (!challenge) return notFound;
  if (challenge.consumedAt !== undefined) return illegal;
  const at = now();
  if (challenge.wrongCodes >= maximumWrongCodes) return failed(event, at, "ATTEMPTS_EXHAUSTED");
  if (!isUsable(challenge, at)) return failed(event, at, "EXPIRED");
  if (!isSame(event.code, challenge.code))
    return failed(event, at, "WRONG_CODE", wrongGuessWrites(challenge));
  return completionPlan(event, at, consumptionWrites(challenge, at), { authenticated: true });
}

function failed(
  event: CompletionEvent,
  at: Date,
  authenticationFailure: EventPlan["result"]["authenticationFailure"],
  writes: readonly WriteAction[] = [],
): EventPlan {
  return completionPlan(event, at, writes, { authenticated: false, authenticationFailure });
}

function completionPlan(
  event: CompletionEvent,
  at: Date,
  writes: readonly WriteAction[],
  result: Pick<EventPlan["result"], "authenticated" | "authenticationFailure">,
): EventPlan {
  const { programId, challengeId } = event;
  return {
    commit: { programId, at, accounts: [], writes },
    result: { outcome: "applied", challengeId, ...result },
    again: () => planCompletion(event),
  };
}

/** Constant time: does not reveal how many digits are right. */
function isSame(given: string, code: string | undefined): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(code ?? "")];
  return one.byteLength === other.byteLength && timingSafeEqual(one, other);
}
