import { getCardholder } from "../../shared/cardholders/cardholder.ts";
import { getCard } from "../../shared/cards/card.ts";
import { maximumOtpListeners } from "../../shared/contract/otp.ts";
import { listPage } from "../../shared/lists/list-page.ts";
import {
  listeners,
  listenersWrite,
  type OtpListener,
  readCurrentChallenge,
  readListenerIds,
  readOpenChallenges,
  subscriptionWrites,
  toChallengeView,
  toListenerId,
  toListenerView,
  toOtpView,
  unsubscriptionWrites,
} from "../../shared/passcodes/passcode.ts";
import { receiverFault } from "../../shared/platform/callbacks/receiver.ts";
import { newSigningSecret } from "../../shared/platform/callbacks/signature.ts";
import { now, timestamp } from "../../shared/platform/clock.ts";
import { ApiError, limitReached } from "../../shared/platform/http/api-error.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { randomToken } from "../../shared/platform/id.ts";
import { transact } from "../../shared/platform/table/transact.ts";

const tokenBytes = 32;

/**
 * The token and the secret appear only in this answer; only the token's hash is stored.
 * @throws ApiError VALIDATION_FAILED for a URL that cannot receive callbacks; LIMIT_REACHED at 10
 * subscriptions of one Card or Cardholder
 */
export const subscribe: Operations["POST /otp/listeners"] = async ({ scope: { programId }, body }) => {
  const { cardId, cardholderId, webhookUrl } = body;
  const fault = webhookUrl === undefined ? undefined : await receiverFault(webhookUrl, "body.webhookUrl");
  if (fault) throw new ApiError("VALIDATION_FAILED", [fault]);
  await requireSubject(programId, body, "body");
  const token = randomToken(tokenBytes);
  const secret = webhookUrl === undefined ? undefined : newSigningSecret();
  const ids = { listenerId: toListenerId(token), cardId, cardholderId };
  const createdAt = timestamp();
  const outcome = await transact(subscriptionWrites({ ...ids, programId, webhookUrl, secret, createdAt }));
  if (!outcome.committed) {
    if (outcome.failedConditions.has(listenersWrite))
      throw limitReached(maximumOtpListeners, "subscriptions of a Card or Cardholder");
    throw new Error("The token of a new subscription is taken.");
  }
  return { token, ...ids, webhookUrl, secret, expiresAt: null, dateCreated: createdAt };
};

/** A Card's subscriptions do not include its Cardholder's. */
export const listListeners: Operations["GET /otp/listeners"] = async ({ scope: { programId }, query }) => {
  const { cardId, cardholderId } = query;
  const [{ listenerIds }] = await Promise.all([
    readListenerIds(programId, cardId ?? cardholderId ?? ""),
    requireSubject(programId, query, "query"),
  ]);
  return listPage(
    {
      records: { keys: listenerIds.map((listenerId) => listeners.at(programId, listenerId).key) },
      view: (item) => toListenerView(listeners.parse(item)),
    },
    query,
  );
};

/**
 * The passcode of the newest open challenge or, without one, the end of the newest; `code` only
 * while it can be used.
 * @throws ApiError NOT_FOUND for a token that is unknown, unsubscribed or another Program's
 */
export const retrieveOtp: Operations["GET /otp/{token}"] = async ({
  scope: { programId },
  path: { token },
}) => {
  const listener = await listeners.at(programId, toListenerId(token)).require();
  const at = now();
  const challenge = await readCurrentChallenge(listener, at);
  return challenge ? toOtpView(challenge, at) : { status: "pending", expiresAt: null };
};

/** Every challenge that can be answered now, with its passcode. */
export const listChallenges: Operations["GET /otp/challenges/{token}"] = async ({ scope, path, query }) => {
  const { programId } = scope;
  const { token } = path;
  const listener = await listeners.at(programId, toListenerId(token)).require();
  const open = await readOpenChallenges(listener, now());
  return listPage(
    {
      records: { given: open.map((one) => ({ ...one, entityId: one.challengeId })) },
      view: toChallengeView,
    },
    query,
  );
};

/** Ends a subscription whose token may be lost. */
export const removeListener: Operations["DELETE /otp/listeners/{listenerId}"] = async ({ scope, path }) => {
  await endSubscription(scope.programId, path.listenerId);
  return { listenerId: path.listenerId };
};

/** Drops its waiting callbacks too. */
export const unsubscribe: Operations["DELETE /otp/{token}"] = async ({ scope, path }) => {
  await endSubscription(scope.programId, toListenerId(path.token));
  return {};
};

/** If two requests come at once, one succeeds. */
async function endSubscription(programId: string, listenerId: string): Promise<void> {
  const listener = await listeners.at(programId, listenerId).require();
  const { committed } = await transact(unsubscriptionWrites(listener));
  if (!committed) throw new ApiError("NOT_FOUND");
}

/** The contract lets exactly one of the two through. */
async function requireSubject(
  programId: string,
  { cardId, cardholderId }: Pick<OtpListener, "cardId" | "cardholderId">,
  part: "body" | "query",
): Promise<void> {
  if (cardId !== undefined) await getCard(programId, cardId, `${part}.cardId`);
  if (cardholderId !== undefined) await getCardholder(programId, cardholderId, `${part}.cardholderId`);
}
