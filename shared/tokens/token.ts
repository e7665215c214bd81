import * as z from "zod";
import { DecidedBy } from "../contract/authorization-endpoint.ts";
import { Currency } from "../contract/enums.ts";
import { integerEnum } from "../contract/primitives.ts";
import {
  TokenActor,
  TokenDevice,
  type TokenEventView,
  TokenNetwork,
  TokenOutcome,
  TokenRisk,
  TokenState,
  TokenTrigger,
  type TokenView,
} from "../contract/tokens.ts";
import { AuthorizationDeclineReason } from "../contract/transactions.ts";
import { TokenWallet } from "../contract/verification.ts";
import { listInsert, listUpdate } from "../lists/entry.ts";
import { defineList } from "../lists/kind.ts";
import { illegalStatus } from "../platform/http/api-error.ts";
import { pick } from "../platform/pick.ts";
import { absent, any, fewerThan } from "../platform/table/condition.ts";
import { defineEntity } from "../platform/table/entity.ts";
import type { Key } from "../platform/table/keys.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { findStep, fromEach, leadsTo, type TransitionTable } from "../platform/table/transition.ts";

/** What changes a token that is there: the others begin one. */
export type TokenStepTrigger = Exclude<TokenTrigger, "approve" | "step_up" | "decline">;

/** Every legal step of a token; the code and the documentation read this one table. */
export const tokenTransitions = [
  { from: "verifying", trigger: "confirm", to: "active" },
  { from: "verifying", trigger: "fail", to: "declined" },
  { from: "verifying", trigger: "expire", to: "declined" },
  { from: "active", trigger: "suspend", to: "suspended" },
  { from: "suspended", trigger: "resume", to: "active" },
  ...fromEach(["active", "suspended", "verifying"], "delete", "deleted"),
  ...fromEach(["active", "suspended", "verifying"], "close", "deleted"),
] as const satisfies TransitionTable<TokenState, TokenStepTrigger>;

/** Undefined if the state does not permit it. */
export function nextTokenState(from: TokenState, trigger: TokenStepTrigger): TokenState | undefined {
  return leadsTo<TokenState, TokenStepTrigger>(tokenTransitions, from, trigger);
}

export const illegal = ({ state }: Token, trigger: TokenStepTrigger) =>
  illegalStatus(state, findStep(tokenTransitions, trigger).from);

/** Those that count among the tokens of a Card, and that a closed Card loses. */
export function isLive(state: TokenState): boolean {
  return state !== "declined" && state !== "deleted";
}

/** What can pay in the place of a Card's number. The token's own number is nowhere here. */
const Token = z.object({
  programId: z.string(),
  tokenId: z.string(),
  /** The `tokenId`. */
  entityId: z.string(),
  cardId: z.string(),
  cardholderId: z.string(),
  /** The Card's, for its records. */
  currency: integerEnum(Currency),
  state: TokenState,
  network: TokenNetwork,
  wallet: TokenWallet,
  requestorId: z.string(),
  requestorName: z.string().optional(),
  tokenReference: z.string(),
  tokenLastFour: z.string().optional(),
  device: TokenDevice.optional(),
  risk: TokenRisk.optional(),
  /** What its request was answered, and by whom: a repetition gets that. */
  outcome: TokenOutcome,
  decidedBy: DecidedBy,
  declineReason: AuthorizationDeclineReason.optional(),
  reason: z.string().optional(),
  /** The transaction of its request. */
  transId: z.string(),
  /** What its passcode belongs to. Only one that was stepped up has it. */
  challengeId: z.string().optional(),
  /** What a wallet's next notice is compared with. */
  lastStep: z.object({
    trigger: TokenTrigger,
    by: TokenActor,
    /** When the wallet made it, by the network's clock. */
    occurredAt: z.string().optional(),
  }),
  createdAt: z.string(),
  activatedAt: z.string().optional(),
  endedAt: z.string().optional(),
});
export type Token = Readonly<z.output<typeof Token>>;

export const tokens = defineEntity({
  name: "token",
  schema: Token,
  saysWhenChanged: true,
  key: (programId: string, tokenId: string) => ({ pk: `${programId}#${tokenId}`, sk: "TOKEN" }),
});

export const tokenList = defineList({
  name: "tokens",
  filters: ["state", "wallet"],
  shards: 4,
  recordKey: ({ programId }, tokenId) => tokens.key(programId, tokenId),
});

/** Points to a Card's token. */
const tokensOfCard = defineEntity({
  name: "tokenOf",
  schema: z.object({ tokenId: z.string() }),
  key: (programId: string, cardId: string, tokenId: string) => ({
    pk: `${programId}#${cardId}`,
    sk: `TOKEN#${tokenId}`,
  }),
});

/** The keys of the tokens of these Cards. */
export async function readTokenKeys(programId: string, cardIds: readonly string[]): Promise<Key[]> {
  const pointers = await Promise.all(cardIds.map((cardId) => tokensOfCard.list(programId, cardId)));
  return pointers.flat().map(({ tokenId }) => tokens.key(programId, tokenId));
}

/** A Card has no more that are verifying, active or suspended. */
export const maximumLiveTokens = 10;

const LiveTokens = z.object({ tokenIds: z.set(z.string()).optional() });
export type LiveTokens = z.output<typeof LiveTokens>;

/** The tokens of a Card that are neither declined nor deleted. */
export const liveTokens = defineEntity({
  name: "liveTokens",
  schema: LiveTokens,
  key: (programId: string, cardId: string) => ({ pk: `${programId}#${cardId}`, sk: "LIVE_TOKENS" }),
});

/** A new token. Its conditions fail for one that exists, and for a Card that has the maximum. */
export function tokenPuts(token: Token): WriteAction[] {
  const { programId, cardId, tokenId } = token;
  const pointer = tokensOfCard.at(programId, cardId, tokenId).create({ tokenId });
  const created = {
    ...tokens.at(programId, tokenId).create(token),
    alongside: [listInsert(tokenList, programId, tokenId, token), pointer],
  };
  if (!isLive(token.state)) return [created];
  const hasRoom = any<LiveTokens>({ tokenIds: absent }, { tokenIds: fewerThan(maximumLiveTokens) });
  const added = { add: { tokenIds: new Set([tokenId]) } };
  return [created, liveTokens.at(programId, cardId).update(added, hasRoom)];
}

/** The change of a token. Fails if it is not in the state in which it was read. */
export function tokenUpdates(before: Token, after: Token): WriteAction[] {
  const { programId, cardId, tokenId, state, lastStep } = before;
  const changed = {
    ...tokens.at(programId, tokenId).put(after, { state, lastStep }),
    alongside: [listUpdate(tokenList, programId, tokenId, before, after)],
  };
  if (isLive(after.state)) return [changed];
  const ended = { discard: { tokenIds: new Set([tokenId]) } };
  return [changed, liveTokens.at(programId, cardId).update(ended)];
}

const TokenEvent = z.object({
  /** As its `eventId`. */
  entityId: z.string(),
  trigger: TokenTrigger,
  state: TokenState,
  by: TokenActor,
  reason: z.string().optional(),
  transId: z.string(),
  createdAt: z.string(),
});
export type TokenEvent = Readonly<z.output<typeof TokenEvent>>;

/** What happened to a token. */
export const tokenEvents = defineEntity({
  name: "tokenEvent",
  schema: TokenEvent,
  key: (programId: string, tokenId: string, eventId: string) => ({
    pk: `${programId}#${tokenId}`,
    sk: `TOKEN_EVENT#${eventId}`,
  }),
});

export function toTokenView(token: Token): TokenView {
  return {
    ...pick(token, "tokenId", "cardId", "cardholderId", "state", "network", "wallet", "requestorId"),
    ...pick(token, "requestorName", "tokenReference", "tokenLastFour", "device", "risk", "decidedBy"),
    ...pick(token, "declineReason", "reason"),
    dateCreated: token.createdAt,
    dateActivated: token.activatedAt,
    dateEnded: token.endedAt,
  };
}

export function toTokenEventView({ entityId, createdAt, ...shown }: TokenEvent): TokenEventView {
  return { eventId: entityId, ...shown, dateCreated: createdAt };
}
