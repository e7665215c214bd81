import type { CardStatus } from "../contract/enums.ts";
import type { AccountChange } from "../ledger/account-change.ts";
import type { Commit } from "../ledger/commit-entry.ts";
import { journalEntry } from "../ledger/journal-entry.ts";
import { transferred } from "../ledger/movements.ts";
import { outboxPut } from "../outbox/outbox-put.ts";
import { compileTransition } from "../table/transition.ts";
import { transferRecordPut } from "../transaction/funding-record.ts";
import type { Card } from "./card.ts";
import { identityOf } from "./card-identity.ts";
import { cardStatusEvent, listedStatusChange, openCardsChange } from "./card-status.ts";
import { cardTransitions } from "./card-transitions.ts";

/** Whether a Card's operational status permits that it is closed. */
export function isClosable({ issuerCardStatus }: { issuerCardStatus: CardStatus }): boolean {
  return close.from.includes(issuerCardStatus);
}

const close = compileTransition(cardTransitions, "close", "issuerCardStatus");

/**
 * The commit that closes a Card as it was seen, sweeping what it holds to the Wallet if one is given. It holds only while status and balances are
 * the same, so that the entry's postings empty the Card exactly. Refusals are named `card` and `wallet`.
 */
export function closing(
  programId: string,
  card: Card,
  sweepToWalletId: string | undefined,
  at: Date,
): Commit<never> {
  const cardId = card.entityId;
  const sweptMinor = sweepToWalletId === undefined ? 0 : Math.max(card.availableMinor, 0);
  const closed: AccountChange = {
    name: "card",
    account: { kind: "card", accountId: cardId },
    require: {
      issuerCardStatusIn: close.from,
      // What lists withdraw has to be what there is.
      issuerCardStatus: card.issuerCardStatus,
      balances: { availableMinor: sweptMinor, heldMinor: 0, pendingDepositMinor: 0 },
    },
    set: { issuerCardStatus: close.to },
  };
  const bookkeeping = [
    openCardsChange(programId, card.cardholderId, -1),
    listedStatusChange(programId, card, close.to),
    cardStatusEvent(programId, cardId, { cardStatus: card.cardStatus, issuerCardStatus: close.to }),
  ];
  if (sweepToWalletId === undefined) return { programId, at, accounts: [closed], writes: bookkeeping };
  const wallet: AccountChange = {
    name: "wallet",
    account: { kind: "wallet", accountId: sweepToWalletId },
  };
  if (sweptMinor === 0) return { programId, at, accounts: [closed, wallet], writes: bookkeeping };
  const detail = { cardId, walletId: sweepToWalletId, amountMinor: sweptMinor, currency: card.currency };
  return {
    programId,
    at,
    entry: journalEntry("card_sweep", cardId, transferred(cardId, sweepToWalletId, sweptMinor), at),
    accounts: [closed, wallet],
    writes: [
      ...bookkeeping,
      transferRecordPut(identityOf(programId, card), {
        amountMinor: sweptMinor,
        loads: false,
        relatedId: cardId,
        at,
      }),
      outboxPut(programId, "card.swept", detail, at),
    ],
  };
}
