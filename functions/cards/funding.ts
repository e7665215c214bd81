import { isDeepStrictEqual } from "node:util";
import {
  type Card,
  cacheCard,
  cards,
  hasStatusIn,
  type SpendLimit,
  toCardIdentity,
  toFunding,
} from "../../shared/cards/card.ts";
import { countsDays, limitFields, newLimit, toLimitView } from "../../shared/cards/limit.ts";
import { isBlocked, isNotBlocked } from "../../shared/cards/usable.ts";
import { defineChange, foundAnew, nothing, type StepRefusal } from "../../shared/changes/change.ts";
import { answerRequest } from "../../shared/changes/execute.ts";
import type { ProgramSettings } from "../../shared/contract/account-programs.ts";
import { durationMinutes } from "../../shared/contract/controls.ts";
import { CardStatus } from "../../shared/contract/enums.ts";
import type { CardFundingSet, CardFundingView } from "../../shared/contract/funding.ts";
import { readWithUsage, toLimitControl } from "../../shared/controls/spend-limit.ts";
import { type Usage, usedAt } from "../../shared/controls/usage.ts";
import { type AccountChange, type StoredAccount, toBalances } from "../../shared/ledger/account.ts";
import { readAccount } from "../../shared/ledger/hot-wallets.ts";
import { journalEntry } from "../../shared/ledger/journal-entry.ts";
import { transferred } from "../../shared/ledger/postings.ts";
import { hasLimit, toSpendable } from "../../shared/network-events/wallet-funding.ts";
import { now, timestamp } from "../../shared/platform/clock.ts";
import { ApiError, illegalStatus, notFound } from "../../shared/platform/http/api-error.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { outboxPut } from "../../shared/platform/outbox/outbox-put.ts";
import { absent, all } from "../../shared/platform/table/condition.ts";
import { type Actor, auditPut, toActor } from "../../shared/tenancy/audit-log.ts";
import { readProgram } from "../../shared/tenancy/programs/program.ts";
import { debtCleared, recordFunding, recordOnCard } from "../../shared/wallets/card-movement.ts";
import { notEmpty } from "./not-empty.ts";

/** All of a hot Wallet. */
async function readWallet(programId: string, accountId: string | undefined) {
  return accountId === undefined ? undefined : readAccount(programId, { kind: "wallet", accountId });
}

export const viewBalance: Operations["GET /cards/{cardId}/balance"] = async ({ scope, path }) => {
  const { card, wallet, counted } = await readFunding(scope.programId, path.cardId);
  const { fundingWalletId, currency } = card;
  if (!wallet) return { ...toBalances(card), currency };
  const { spendableMinor: spendable, heldMinor: held } = toSpendable(card, wallet, counted?.leftMinor);
  return { ...toBalances(wallet), currency, fundingWalletId, spendable, held };
};

/** @throws ApiError NOT_FOUND */
async function readFunding(programId: string, cardId: string) {
  const { card, usage } = await readWithUsage(programId, cardId);
  if (!card) throw new ApiError("NOT_FOUND");
  const { limit } = toFunding(card) ?? {};
  const wallet = await readWallet(programId, card.fundingWalletId);
  return { card, wallet, counted: limit && toCounted(cardId, limit, usage) };
}

/** What the Card has spent of its limit in the present window, and what that leaves. */
function toCounted(cardId: string, limit: SpendLimit, usage: Usage | undefined) {
  const { amount: usedMinor } = usedAt(usage, toLimitControl(cardId, limit), now().getTime());
  return { usedMinor, leftMinor: limit.amountMinor - usedMinor };
}

function toFundingView({ card, wallet, counted }: Awaited<ReturnType<typeof readFunding>>): CardFundingView {
  const { fundingWalletId = null, fundedHeldMinor = 0, heldMinor, availableMinor } = card;
  const own = wallet ? toSpendable(card, wallet, counted?.leftMinor).spendableMinor : availableMinor;
  return {
    fundingWalletId,
    spendLimit: toLimitView(card),
    spendable: Math.max(0, own),
    held: heldMinor + fundedHeldMinor,
    ...(counted && { used: counted.usedMinor, remaining: Math.max(0, counted.leftMinor) }),
  };
}

export const viewFunding: Operations["GET /cards/{cardId}/funding"] = async ({ scope, path }) =>
  toFundingView(await readFunding(scope.programId, path.cardId));

interface Request {
  readonly tenantId: string;
  readonly programId: string;
  readonly cardId: string;
  readonly body: CardFundingSet;
  readonly actor: Actor;
}

/**
 * From then on, authorizations ask the other account. Open holds stay where they were placed.
 * @throws ApiError NOT_FOUND for an unknown Card or Wallet; ILLEGAL_TRANSITION for a Closed Card;
 * CARD_BLOCKED for another Wallet; CARD_NOT_EMPTY
 */
export const putFunding: Operations["PUT /cards/{cardId}/funding"] = async (request) => {
  const { scope, path, body, requestId } = request;
  const { tenantId, programId } = scope;
  const actor = toActor({ scope, requestId });
  await answerRequest(change, { tenantId, programId, cardId: path.cardId, body, actor }, undefined);
  const funding = await readFunding(programId, path.cardId);
  cacheCard(programId, funding.card);
  return toFundingView(funding);
};

const change = defineChange<Request, undefined, StepRefusal | "CARD_BLOCKED" | "CARD_NOT_EMPTY">()({
  reads: ({ programId, cardId, body: { fundingWalletId, spendLimit } }) => ({
    card: cards.at(programId, cardId),
    wallet:
      fundingWalletId === null
        ? nothing
        : foundAnew(() => readAccount(programId, { kind: "wallet", accountId: fundingWalletId })),
    program: spendLimit && countsDays(spendLimit) ? foundAnew(() => readProgram(programId)) : nothing,
  }),
  decide: (request, { card, wallet, program }, at) => {
    const { programId, body } = request;
    const { fundingWalletId, moveBalance = false } = body;
    if (!card || (fundingWalletId !== null && !wallet)) return notFound({ fundingWalletId: wallet });
    if (card.issuerCardStatus === CardStatus.closed) return illegalStatus(CardStatus.closed, [], CardStatus);
    const limit = decideLimit(card, body, program?.settings, at);
    const before = toFunding(card);
    const after =
      fundingWalletId === null ? undefined : { walletId: fundingWalletId, ...(limit && { limit }) };
    if (isDeepStrictEqual(before, after)) return { done: undefined };
    if (before?.walletId === after?.walletId) return planLimit(request, card, limit);
    // Its money, and what comes for it, stays there.
    if (isBlocked(card)) return { rejected: "CARD_BLOCKED" };
    const { availableMinor, pendingDepositMinor } = card;
    if (wallet && !(moveBalance ? canPay(wallet, card) : isEmpty(card))) return notEmpty(card);
    const changed: AccountChange = {
      name: "card",
      account: { kind: "card", accountId: card.entityId },
      require: all<Card>(asRead(card), isNotBlocked),
      // What is pending goes on to the Wallet as it clears.
      balances: { availableMinor, ...(!moveBalance && { pendingDepositMinor }) },
      ...toChange(fundingWalletId, limit),
    };
    const moved = fundingWalletId === null ? undefined : planMove(programId, card, fundingWalletId, at);
    return {
      ...(moved && { entry: moved.entry }),
      accounts: [changed, ...(moved?.accounts ?? [])],
      writes: [...(moved?.writes ?? []), audit(request, card, limit)],
      answer: undefined,
    };
  },
});

function isEmpty({ availableMinor, pendingDepositMinor }: Card): boolean {
  return availableMinor === 0 && pendingDepositMinor === 0;
}

/** What the Card owes moves too. */
function canPay(wallet: StoredAccount, { availableMinor }: Card): boolean {
  return availableMinor >= 0 || wallet.availableMinor >= -availableMinor;
}

/** `PT60M` and `PT1H` are the same. */
const windowLength = (window: string) => durationMinutes(window) ?? window;

/** What was spent in the window counts on, unless the window changes. */
function decideLimit(
  card: Card,
  { fundingWalletId, spendLimit }: CardFundingSet,
  settings: ProgramSettings | undefined,
  at: Date,
) {
  const { limit: before } = toFunding(card) ?? {};
  if (fundingWalletId === null || spendLimit === null) return undefined;
  if (!spendLimit) return before;
  const isSame = before && windowLength(before.window) === windowLength(spendLimit.window);
  return newLimit(spendLimit, isSame ? before.countsFrom : timestamp(at), settings);
}

/** Another request, or what the Card has spent, has not changed it meanwhile. */
function asRead(card: Card) {
  return all<Card>(
    hasStatusIn([card.issuerCardStatus]),
    { fundingWalletId: card.fundingWalletId ?? absent },
    hasLimit(toFunding(card)?.limit),
  );
}

const limitNames = ["spendLimitMinor", "spendLimitWindow", "spendLimitFrom", "spendLimitTimeZone"] as const;

function toChange(fundingWalletId: string | null, limit: SpendLimit | undefined) {
  if (fundingWalletId === null) return { remove: ["fundingWalletId", ...limitNames] };
  const set = { fundingWalletId, ...(limit && limitFields(limit)) };
  return { set, remove: limitNames.filter((name) => !(name in set)) };
}

/** The account stays, and nothing moves. */
function planLimit(request: Request, card: Card, limit: SpendLimit | undefined) {
  const account = { kind: "card", accountId: card.entityId } as const;
  const change = toChange(card.fundingWalletId ?? null, limit);
  return {
    accounts: [{ name: "card", account, require: asRead(card), ...change }],
    writes: [audit(request, card, limit)],
    answer: undefined,
  };
}

/** What is available becomes the Wallet's, as when a Card is closed. The Wallet pays a debt. */
function planMove(programId: string, card: Card, walletId: string, at: Date) {
  const { entityId: cardId, availableMinor, currency, ledgerMinor } = card;
  if (availableMinor === 0) return undefined;
  const owes = availableMinor < 0;
  const amountMinor = Math.abs(availableMinor);
  const identity = toCardIdentity(programId, card);
  const moved = owes
    ? recordFunding(identity, at, debtCleared(cardId, amountMinor))
    : recordOnCard(identity, { amountMinor, loads: false, relatedId: cardId, at });
  const detail = { cardId, amountMinor, currency, walletId, ...moved.outboxDetail };
  return {
    entry: journalEntry("card_sweep", cardId, transferred(cardId, walletId, availableMinor), at),
    accounts: [
      { name: "wallet", account: { kind: "wallet", accountId: walletId }, ...(owes && { isCovered: true }) },
    ] as const,
    writes: [
      ...moved.writes,
      ...moved.writesWithBalance(ledgerMinor - availableMinor),
      outboxPut(programId, owes ? "card.debt_settled" : "card.swept", detail, at),
    ],
  };
}

function audit(
  { tenantId, programId, cardId, body, actor }: Request,
  card: Card,
  limit: SpendLimit | undefined,
) {
  const { fundingWalletId = null } = card;
  const spendLimit = limit && { amount: limit.amountMinor, window: limit.window };
  return auditPut(actor, {
    ...{ tenantId, programId, action: "card.funding", subjectId: cardId },
    before: { fundingWalletId, spendLimit: toLimitView(card) },
    after: { fundingWalletId: body.fundingWalletId, spendLimit },
  });
}
