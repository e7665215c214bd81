import {
  type Card,
  cacheCard,
  cards,
  getCard,
  hasStatusIn,
  toCardIdentity,
} from "../../shared/cards/card.ts";
import { toSpendable } from "../../shared/cards/spendable.ts";
import { type Change, nothing } from "../../shared/changes/change.ts";
import { answerRequest } from "../../shared/changes/execute.ts";
import { CardStatus } from "../../shared/contract/enums.ts";
import type { CardFundingSet, CardFundingView } from "../../shared/contract/funding.ts";
import {
  type AccountChange,
  accountAt,
  type StoredAccount,
  toBalances,
} from "../../shared/ledger/account.ts";
import { readAccount } from "../../shared/ledger/hot-wallets.ts";
import { journalEntry } from "../../shared/ledger/journal-entry.ts";
import { transferred } from "../../shared/ledger/postings.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { outboxPut } from "../../shared/platform/outbox/outbox-put.ts";
import { absent, all } from "../../shared/platform/table/condition.ts";
import { type Actor, auditPut, toActor } from "../../shared/tenancy/audit-log.ts";
import { recordOnCard } from "../../shared/wallets/card-movement.ts";

/** All of a hot Wallet. */
async function readWallet(programId: string, accountId: string | undefined) {
  return accountId === undefined ? undefined : readAccount(programId, { kind: "wallet", accountId });
}

export const viewBalance: Operations["GET /cards/{cardId}/balance"] = async ({ scope, path }) => {
  const { programId } = scope;
  const card = await getCard(programId, path.cardId);
  const { fundingWalletId, currency } = card;
  const wallet = await readWallet(programId, fundingWalletId);
  if (!wallet) return { ...toBalances(card), currency };
  const { spendableMinor: spendable, heldMinor: held } = toSpendable(card, wallet);
  return { ...toBalances(wallet), currency, fundingWalletId, spendable, held };
};

async function toFundingView(programId: string, card: Card): Promise<CardFundingView> {
  const { fundingWalletId = null, fundedHeldMinor = 0, heldMinor, availableMinor } = card;
  const wallet = await readWallet(programId, card.fundingWalletId);
  const spendable = wallet ? toSpendable(card, wallet).spendableMinor : Math.max(0, availableMinor);
  return { fundingWalletId, spendable, held: heldMinor + fundedHeldMinor };
}

export const viewFunding: Operations["GET /cards/{cardId}/funding"] = async ({ scope, path }) =>
  toFundingView(scope.programId, await getCard(scope.programId, path.cardId));

interface Request {
  readonly tenantId: string;
  readonly programId: string;
  readonly cardId: string;
  readonly body: CardFundingSet;
  readonly actor: Actor;
}

interface Found {
  readonly card: Card | undefined;
  readonly wallet: StoredAccount | undefined;
}

type Refusal = "NOT_FOUND" | "ILLEGAL_TRANSITION" | "CARD_NOT_EMPTY";

/**
 * From then on, authorizations ask the other account. Open holds stay where they were placed.
 * @throws ApiError NOT_FOUND for an unknown Card or Wallet; ILLEGAL_TRANSITION for a Closed Card;
 * CARD_NOT_EMPTY
 */
export const putFunding: Operations["PUT /cards/{cardId}/funding"] = async ({
  scope,
  path,
  body,
  requestId,
}) => {
  const { tenantId, programId } = scope;
  const actor = toActor({ scope, requestId });
  await answerRequest(change, { tenantId, programId, cardId: path.cardId, body, actor }, undefined);
  const card = await getCard(programId, path.cardId);
  cacheCard(programId, card);
  return toFundingView(programId, card);
};

const change: Change<Request, Found, undefined, Refusal> = {
  reads: ({ programId, cardId, body: { fundingWalletId } }) => ({
    card: cards.at(programId, cardId),
    wallet:
      fundingWalletId === null
        ? nothing
        : accountAt(programId, { kind: "wallet", accountId: fundingWalletId }),
  }),
  decide: (request, { card, wallet }, at) => {
    const { programId, body } = request;
    const { fundingWalletId, moveBalance = false } = body;
    if (!card || (fundingWalletId !== null && !wallet)) return { rejected: "NOT_FOUND" };
    if (card.issuerCardStatus === CardStatus.closed) return { rejected: "ILLEGAL_TRANSITION" };
    if ((card.fundingWalletId ?? null) === fundingWalletId) return { done: undefined };
    const { availableMinor, pendingDepositMinor, issuerCardStatus } = card;
    const isEmpty = availableMinor === 0 || (moveBalance && availableMinor > 0);
    if (fundingWalletId !== null && (!isEmpty || pendingDepositMinor !== 0))
      return { rejected: "CARD_NOT_EMPTY" };
    const changed: AccountChange = {
      name: "card",
      account: { kind: "card", accountId: card.entityId },
      require: all<Card>(hasStatusIn([issuerCardStatus]), {
        fundingWalletId: card.fundingWalletId ?? absent,
      }),
      balances: { availableMinor, pendingDepositMinor },
      ...(fundingWalletId === null ? { remove: ["fundingWalletId"] } : { set: { fundingWalletId } }),
    };
    const moved = fundingWalletId === null ? undefined : planMove(programId, card, fundingWalletId, at);
    return {
      ...(moved && { entry: moved.entry }),
      accounts: [changed, ...(moved?.accounts ?? [])],
      writes: [...(moved?.writes ?? []), audit(request, card)],
      answer: undefined,
    };
  },
};

/** What is available becomes the Wallet's, as when a Card is closed. */
function planMove(programId: string, card: Card, walletId: string, at: Date) {
  const { entityId: cardId, availableMinor: amountMinor, currency, ledgerMinor } = card;
  if (amountMinor === 0) return undefined;
  const swept = recordOnCard(toCardIdentity(programId, card), {
    amountMinor,
    loads: false,
    relatedId: cardId,
    at,
  });
  const detail = { cardId, amountMinor, currency, walletId, ...swept.outboxDetail };
  return {
    entry: journalEntry("card_sweep", cardId, transferred(cardId, walletId, amountMinor), at),
    accounts: [{ name: "wallet", account: { kind: "wallet", accountId: walletId } }] as const,
    writes: [
      ...swept.writes,
      ...swept.writesWithBalance(ledgerMinor - amountMinor),
      outboxPut(programId, "card.swept", detail, at),
    ],
  };
}

function audit({ tenantId, programId, cardId, body, actor }: Request, card: Card) {
  return auditPut(actor, {
    ...{ tenantId, programId, action: "card.funding", subjectId: cardId },
    before: { fundingWalletId: card.fundingWalletId ?? null },
    after: { fundingWalletId: body.fundingWalletId },
  });
}
