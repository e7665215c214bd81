import { timingSafeEqual } from "node:crypto";
import * as z from "zod";
import { type Card, type CardIdentity, cards, isUsableAt, readCardIdentity } from "../cards/card.ts";
import type { Applied } from "../changes/applied-event.ts";
import { type Change, later, nothing, type Unread, unread, whenFailed } from "../changes/change.ts";
import type { ProcessorEvent } from "../contract/processor.ts";
import { merchantFields } from "../contract/settled.ts";
import { timestamp } from "../platform/clock.ts";
import { newId } from "../platform/id.ts";
import { outboxPut } from "../platform/outbox/outbox-put.ts";
import { getProgram, type Program } from "../tenancy/programs/program.ts";
import {
  type Challenge,
  challengePuts,
  challenges,
  consumptionWrites,
  isUsable,
  type ListenerIds,
  listenerUpdate,
  makeRoom,
  maximumWrongCodes,
  newOtpCode,
  readListenerIds,
  wrongGuessWrites,
} from "./passcode.ts";

type EventOf<K extends ProcessorEvent["kind"]> = Extract<ProcessorEvent, { kind: K }>;
type Code = "NOT_FOUND" | "ILLEGAL_TRANSITION";

interface FoundCard {
  readonly card: CardIdentity | undefined;
  readonly program: Program | undefined;
  readonly listeners: ListenerIds | undefined | Unread;
  /** The Card cannot be used. */
  readonly account: Card | undefined | Unread;
  /** Its id is taken. */
  readonly challenge: Challenge | undefined | Unread;
}

/**
 * Creates a code for every subscription of the card and its Cardholder, an alert for each URL.
 * Illegal without 3-D Secure, and for a card that cannot be used.
 */
const challenged: Change<EventOf<"three_ds_challenge">, FoundCard, Applied, Code> = {
  reads: ({ programId, cardId }) => ({
    card: { get: () => readCardIdentity(programId, cardId) },
    program: { get: () => getProgram(programId) },
    listeners: later(nothing),
    account: whenFailed((stored) => cards.parse(stored)),
    challenge: whenFailed((stored) => challenges.parse(stored)),
  }),
  decide: (event, { card, program, listeners, account, challenge: taken }, at) => {
    if (!card) return { rejected: "NOT_FOUND" };
    if (!program?.settings.threeDSecure || account !== unread || taken !== unread)
      return { rejected: "ILLEGAL_TRANSITION" };
    const { programId, cardId } = event;
    if (listeners === unread || !listeners) {
      const get = () => readListenerIds(programId, cardId, card.cardholderId);
      // Subscriptions have ended, or are full.
      return { readMore: { listeners: { get, renew: (_, failed) => makeRoom(failed).then(get) } } };
    }
    const challenge = newChallenge(event, at);
    const { challengeId, expiresAt } = challenge;
    return {
      accounts: [{ name: "account", account: { kind: "card", accountId: cardId }, require: isUsableAt(at) }],
      writes: [
        ...challengePuts(challenge),
        ...listeners.listenerIds.map((listenerId) => listenerUpdate(programId, listenerId, challengeId)),
        // Without code and token: the sender of the alert reads them itself.
        ...listeners.webhookListenerIds.map((listenerId) =>
          outboxPut(programId, "otp.challenged", { listenerId, challengeId }, at),
        ),
      ],
      answer: { outcome: "applied", challengeId, expiresAt },
    };
  },
};

const Merchant = z.object(merchantFields);

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
    ...Merchant.parse(event),
    expiresAt: timestamp(new Date(startedAt.getTime() + expiresInSeconds * 1000)),
    createdAt: timestamp(at),
  };
}

/** Checks the Cardholder's code. An answered challenge takes no other code. */
const completed: Change<
  EventOf<"three_ds_completion">,
  { readonly challenge: Challenge | undefined },
  Applied,
  Code
> = {
  reads: ({ programId, challengeId }) => ({ challenge: challenges.at(programId, challengeId) }),
  decide: ({ challengeId, code }, { challenge }, at) => {
    if (!challenge) return { rejected: "NOT_FOUND" };
    if (challenge.consumedAt !== undefined) return { rejected: "ILLEGAL_TRANSITION" };
    const failure = findFailure(code, challenge, at);
    const wrongGuess = failure === "WRONG_CODE" ? wrongGuessWrites(challenge) : [];
    return {
      accounts: [],
      writes: failure ? wrongGuess : consumptionWrites(challenge, at),
      answer: {
        outcome: "applied",
        challengeId,
        authenticated: !failure,
        ...(failure && { authenticationFailure: failure }),
      },
    };
  },
};

function findFailure(code: string, challenge: Challenge, at: Date): Applied["authenticationFailure"] {
  if (challenge.wrongCodes >= maximumWrongCodes) return "ATTEMPTS_EXHAUSTED";
  if (!isUsable(challenge, at)) return "EXPIRED";
  return isSame(code, challenge.code) ? undefined : "WRONG_CODE";
}

/** Constant time: does not reveal how many digits are right. */
function isSame(given: string, code: string | undefined): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(code ?? "")];
  return one.byteLength === other.byteLength && timingSafeEqual(one, other);
}

/** What the network's 3-D Secure asks and says. */
export const passcodeEvents = { three_ds_challenge: challenged, three_ds_completion: completed } as const;
