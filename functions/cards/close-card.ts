import { pinDeletion } from "../../shared/cards/ask-vault.ts";
import { type Card, cards, hasStatusIn, toCardIdentity } from "../../shared/cards/card.ts";
import {
  cardStatusEvent,
  cardTransitions,
  countClosedCard,
  listedStatusChange,
} from "../../shared/cards/card-status.ts";
import { toCardView } from "../../shared/cards/card-view.ts";
import { isBlocked, isNotBlocked } from "../../shared/cards/usable.ts";
import { defineChange, later } from "../../shared/changes/change.ts";
import { answerRequest, execute } from "../../shared/changes/execute.ts";
import { CardStatus } from "../../shared/contract/enums.ts";
import { cancellation } from "../../shared/deposits/cancel-announced.ts";
import { type Deposit, deposits } from "../../shared/deposits/deposit.ts";
import { isExpected, listExpected } from "../../shared/deposits/expected.ts";
import { type AccountChange, accountAt } from "../../shared/ledger/account.ts";
import type { Commit } from "../../shared/ledger/commit.ts";
import { journalEntry } from "../../shared/ledger/journal-entry.ts";
import { debtSettled } from "../../shared/ledger/movements.ts";
import { transferred } from "../../shared/ledger/postings.ts";
import { timestamp } from "../../shared/platform/clock.ts";
import { deadlineReplace } from "../../shared/platform/deadlines.ts";
import { ApiError, illegalStatus, notFound } from "../../shared/platform/http/api-error.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { withMetadata } from "../../shared/platform/labels.ts";
import { outboxPut } from "../../shared/platform/outbox/outbox-put.ts";
import { readBatch } from "../../shared/platform/table/batch.ts";
import { absent, all, any } from "../../shared/platform/table/condition.ts";
import { findStep } from "../../shared/platform/table/transition.ts";
import { debtCleared, recordFunding, recordOnCard } from "../../shared/wallets/card-movement.ts";
import { getWallet } from "../../shared/wallets/wallet.ts";
import { notEmpty } from "./not-empty.ts";

type Operation = Operations["POST /cards/{cardId}/close"];

const close = findStep(cardTransitions, "close");

interface Request {
  readonly programId: string;
  readonly cardId: string;
  readonly sweepToWalletId?: string | undefined;
}

type Refusal = "NOT_FOUND" | "CARD_BLOCKED" | "ILLEGAL_TRANSITION" | "CARD_NOT_EMPTY";

/**
 * Closes a Card permanently. Announced deposits are cancelled before. Its money moves to
 * `sweepToWalletId` or its debt is paid from the Program's reserve in the same transaction, so that
 * it never keeps money.
 * @throws ApiError NOT_FOUND for an unknown Card or Wallet; CARD_BLOCKED; ILLEGAL_TRANSITION;
 * CARD_NOT_EMPTY for open holds, other pending deposits, or money and no Wallet;
 * IDEMPOTENCY_MISMATCH
 */
export const closeCard: Operation = async ({ scope: { programId }, path, body, idempotency }) => {
  const request = { programId, ...path, ...body };
  const close = () => answerRequest(closing, request, idempotency);
  const closed = await close().catch(async (error) => {
    const isNotEmpty = error instanceof ApiError && error.code === "CARD_NOT_EMPTY";
    if (!isNotEmpty || !(await cancelExpected(request))) throw error;
    return close();
  });
  // What is announced on its Wallet keeps no Card open: it ends once the Card is closed.
  if (closed.fundingWalletId !== undefined)
    await cancel(programId, await readExpected(programId, path.cardId));
  return withMetadata(programId, path.cardId, closed);
};

/**
 * Cancels what the clients of a Card that is not empty have announced. False, and nothing is
 * cancelled, if something else keeps it from being closed. What the bank reports at the same time
 * stays on the Card.
 * @throws ApiError NOT_FOUND for the Wallet
 */
async function cancelExpected({ programId, cardId, sweepToWalletId }: Request): Promise<boolean> {
  const [card, open] = await Promise.all([
    cards.at(programId, cardId).get(),
    readExpected(programId, cardId),
    sweepToWalletId === undefined || getWallet(programId, sweepToWalletId, "body.sweepToWalletId"),
  ]);
  if (!card || open.length === 0) return false;
  const own = open.filter(({ account }) => account.accountId === cardId);
  const openMinor = own.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
  if (!canClose({ ...card, pendingDepositMinor: card.pendingDepositMinor - openMinor }, sweepToWalletId))
    return false;
  await cancel(programId, open);
  return true;
}

async function readExpected(programId: string, cardId: string): Promise<Deposit[]> {
  const depositIds = await listExpected(programId, cardId);
  if (depositIds.length === 0) return [];
  const items = await readBatch(depositIds.map((depositId) => deposits.at(programId, depositId).key));
  return items.map((item) => deposits.parse(item)).filter(isExpected);
}

async function cancel(programId: string, open: readonly Deposit[]): Promise<void> {
  for (const { depositId } of open) await execute(cancellation, { programId, depositId });
}

/** Nothing is held, also on a Wallet, or pending, and its money has a Wallet to go to. */
function canClose(
  { heldMinor, fundedHeldMinor = 0, pendingDepositMinor, availableMinor }: Card,
  sweepToWalletId: string | undefined,
): boolean {
  const canBeEmptied = availableMinor <= 0 || sweepToWalletId !== undefined;
  return heldMinor === 0 && fundedHeldMinor === 0 && pendingDepositMinor === 0 && canBeEmptied;
}

const closing = defineChange<Request, ReturnType<typeof toCardView>, Refusal>()({
  reads: ({ programId, cardId, sweepToWalletId: accountId = "" }) => ({
    card: cards.at(programId, cardId),
    wallet: later(accountAt(programId, { kind: "wallet", accountId })),
  }),
  decide: ({ programId, sweepToWalletId }, { card, wallet }, at) => {
    if (!card || !wallet) return notFound({ sweepToWalletId: wallet });
    if (isBlocked(card)) return { rejected: "CARD_BLOCKED" };
    if (!close.from.includes(card.issuerCardStatus))
      return illegalStatus(card.issuerCardStatus, close.from, CardStatus);
    if (!canClose(card, sweepToWalletId)) return notEmpty(card);
    return {
      ...planClosing(programId, card, sweepToWalletId, at),
      answer: toCardView({ ...card, issuerCardStatus: close.to }),
    };
  },
});

/** Requires the status and balances as read, so that the postings empty the Card exactly. */
function planClosing(programId: string, card: Card, sweepToWalletId: string | undefined, at: Date) {
  const { entityId: cardId, availableMinor: emptiedMinor } = card;
  const closed: AccountChange = {
    name: "card",
    account: { kind: "card", accountId: cardId },
    // The tombstone in the list has to match the stored values.
    require: all<Card>(
      hasStatusIn(close.from),
      hasStatusIn([card.issuerCardStatus]),
      { plasticId: card.plasticId },
      isNotBlocked,
      any<Card>({ fundedHeldMinor: absent }, { fundedHeldMinor: 0 }),
    ),
    balances: { availableMinor: emptiedMinor, heldMinor: 0, pendingDepositMinor: 0 },
    set: {
      issuerCardStatus: close.to,
      closedAt: timestamp(at),
      ...(emptiedMinor > 0 && sweepToWalletId !== undefined && { sweptTo: sweepToWalletId }),
    },
  };
  const wallet: AccountChange[] =
    sweepToWalletId === undefined
      ? []
      : [{ name: "wallet", account: { kind: "wallet", accountId: sweepToWalletId } }];
  const { entry, writes } = planEmptying(programId, card, emptiedMinor, sweepToWalletId, at);
  return {
    ...(entry && { entry }),
    accounts: [closed, ...wallet],
    writes: [
      countClosedCard(programId, card.cardholderId),
      listedStatusChange(programId, card, close.to),
      deadlineReplace(pinDeletion.at({ ownerId: programId, deadlineId: `pin:${cardId}`, cardId, dueAt: at })),
      cardStatusEvent(programId, cardId, { cardStatus: card.cardStatus, issuerCardStatus: close.to }),
      ...writes,
    ],
  };
}

function planEmptying(
  programId: string,
  card: Card,
  emptiedMinor: number,
  walletId: string | undefined,
  at: Date,
): Pick<Commit, "entry" | "writes"> {
  const { entityId: cardId, currency } = card;
  const amountMinor = Math.abs(emptiedMinor);
  const identity = toCardIdentity(programId, card);
  const written = (
    kind: "card.debt_settled" | "card.swept",
    { writes, writesWithBalance, outboxDetail }: ReturnType<typeof recordOnCard>,
    detail: object,
  ) => [
    ...writes,
    // The commit requires that nothing is left on the Card.
    ...writesWithBalance(0),
    outboxPut(programId, kind, { cardId, amountMinor, currency, ...detail, ...outboxDetail }, at),
  ];
  if (emptiedMinor < 0) {
    const debt = recordFunding(identity, at, debtCleared(cardId, amountMinor));
    return {
      entry: journalEntry("debt_settled", cardId, debtSettled(cardId, amountMinor), at),
      writes: written("card.debt_settled", debt, {}),
    };
  }
  if (emptiedMinor === 0 || walletId === undefined) return { writes: [] };
  const swept = recordOnCard(identity, { amountMinor, loads: false, relatedId: cardId, at });
  return {
    entry: journalEntry("card_sweep", cardId, transferred(cardId, walletId, amountMinor), at),
    writes: written("card.swept", swept, { walletId }),
  };
}
