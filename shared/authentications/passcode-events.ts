import { cards } from "../cards/card.ts";
import { readCardIdentity } from "../cards/read-identity.ts";
import { isUsableAt } from "../cards/usable.ts";
import { defineChange, later, nothing, type StepRefusal, unread, whenFailed } from "../changes/change.ts";
import { toTokenNetwork } from "../contract/card-numbers.ts";
import type { Applied, ProcessorEvent } from "../contract/processor.ts";
import { Merchant } from "../contract/settled.ts";
import { challenges, type ListenerIds, newChallengeWrites, tryCode } from "../passcodes/passcode.ts";
import { readListeners } from "../passcodes/read-listeners.ts";
import { timestamp } from "../platform/clock.ts";
import { newId, toOtherId } from "../platform/id.ts";
import { getProgram } from "../tenancy/programs/program.ts";
import { authenticationCreate, authentications } from "./authentication.ts";
import { triedCodeWrites } from "./enter-passcode.ts";

type EventOf<K extends ProcessorEvent["kind"]> = Extract<ProcessorEvent, { kind: K }>;

/**
 * The network wants a passcode: an authentication that is challenged, whatever the rules. Illegal
 * without 3-D Secure, and for a card that cannot be used.
 */
const challenged = defineChange<EventOf<"three_ds_challenge">, Applied, StepRefusal>()({
  reads: ({ programId, cardId }) => ({
    card: { get: () => readCardIdentity(programId, cardId) },
    program: { get: () => getProgram(programId) },
    listeners: later<ListenerIds>(nothing),
    // The Card cannot be used.
    account: whenFailed((stored) => cards.parse(stored)),
    // Its id is taken.
    challenge: whenFailed((stored) => challenges.parse(stored)),
    authentication: whenFailed((stored) => authentications.parse(stored)),
  }),
  decide: (event, { card, program, listeners, account, challenge: taken, authentication }, at) => {
    if (!card) return { rejected: "NOT_FOUND" };
    const isTaken = taken !== unread || authentication !== unread;
    if (!program?.settings.threeDSecure || account !== unread || isTaken)
      return { rejected: "ILLEGAL_TRANSITION" };
    if (listeners === unread || !listeners) return { readMore: { listeners: readListeners(card) } };
    const { programId, cardId, challengeId = newId("challenge"), amount } = event;
    const [expiresAt, merchant] = [toExpiry(event, at), Merchant.parse(event)];
    const challenge = {
      ...{ challengeId, programId, cardId },
      ...(amount !== undefined && { amount }),
      ...{ ...merchant, expiresAt, createdAt: timestamp(at) },
    };
    return {
      accounts: [{ name: "account", account: { kind: "card", accountId: cardId }, require: isUsableAt(at) }],
      writes: [
        authenticationCreate({
          ...{ programId, entityId: toOtherId("authentication", challengeId), challengeId },
          ...{ cardId, cardholderId: card.cardholderId, currency: card.currency },
          network: toTokenNetwork(card.maskedCardNumber),
          ...(amount !== undefined && { amountMinor: amount }),
          ...{ merchant, channel: "browser", state: "challenged", decidedBy: "platform" },
          ...{ method: "passcode", expiresAt, createdAt: timestamp(at) },
        }),
        ...newChallengeWrites(challenge, listeners, at),
      ],
      answer: { outcome: "applied", challengeId, expiresAt },
    };
  },
});

function toExpiry({ occurredAt, expiresInSeconds }: EventOf<"three_ds_challenge">, at: Date): string {
  const startedAt = occurredAt === undefined ? at : new Date(occurredAt);
  return timestamp(new Date(startedAt.getTime() + expiresInSeconds * 1000));
}

/** Checks the Cardholder's code. An answered challenge takes no other code. */
const completed = defineChange<EventOf<"three_ds_completion">, Applied, StepRefusal>()({
  reads: ({ programId, challengeId }) => ({
    challenge: challenges.at(programId, challengeId),
    authentication: authentications.at(programId, toOtherId("authentication", challengeId)),
  }),
  decide: ({ challengeId, code }, { challenge, authentication }, at) => {
    if (!challenge) return { rejected: "NOT_FOUND" };
    if (challenge.consumedAt !== undefined) return { rejected: "ILLEGAL_TRANSITION" };
    const tried = tryCode(challenge, code, at);
    const { failure } = tried;
    return {
      writes: triedCodeWrites(authentication, tried, at),
      answer: {
        outcome: "applied",
        challengeId,
        authenticated: !failure,
        ...(failure && { authenticationFailure: failure }),
      },
    };
  },
});

/** What the network's 3-D Secure asks and says of passcodes. */
export const passcodeEvents = { three_ds_challenge: challenged, three_ds_completion: completed } as const;
