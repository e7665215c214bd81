import type { CardStatus } from "../../contract/enums.ts";
import { outboxPut } from "../../platform/outbox/outbox-put.ts";
import { all } from "../../platform/table/condition.ts";
import { stepOf } from "../../platform/table/transition.ts";
import type { AccountChange } from "../ledger/account.ts";
import type { Commit } from "../ledger/commit.ts";
import { journalEntry } from "../ledger/journal-entry.ts";
import { debtSettled, transferred } from "../ledger/postings.ts";
import { debtRecordPut, transferRecordPut } from "../transactions/funding-record.ts";
import type { Card } from "./card.ts";
import { isNotBlocked } from "./card-block.ts";
import { hasStatusIn } from "./card-conditions.ts";
import { identityOf } from "./card-identity.ts";
import { cardStatusEvent, countClosedCard, listedStatusChange } from "./card-status.ts";
import { cardTransitions } from "./card-transitions.ts";

export function isClosable({ issuerCardStatus }: { issuerCardStatus: CardStatus }): boolean {
  return close.from.includes(issuerCardStatus);
}

const close = stepOf(cardTransitions, "close");

type Emptying = Pick<Commit, "entry" | "writes">;

/**
 * Closes a Card as read: sweeps its money to the Wallet if given, or pays its debt from the Program's
 * reserve. Requires unchanged status and balances, so that the postings empty the Card exactly. Failed
 * conditions: `card` and `wallet`.
 */
export function closing(
  programId: string,
  card: Card,
  sweepToWalletId: string | undefined,
  at: Date,
): Commit {
  const cardId = card.entityId;
  const { availableMinor } = card;
  // Money without a Wallet to sweep it to is left where it is, and refused.
  const emptiedMinor = availableMinor < 0 || sweepToWalletId !== undefined ? availableMinor : 0;
  const closed: AccountChange = {
    name: "card",
    account: { kind: "card", accountId: cardId },
    // The tombstone in the list has to match the stored values.
    require: all(hasStatusIn(close.from), hasStatusIn([card.issuerCardStatus]), isNotBlocked),
    balances: { availableMinor: emptiedMinor, heldMinor: 0, pendingDepositMinor: 0 },
    set: { issuerCardStatus: close.to },
  };
  const wallet: AccountChange[] =
    sweepToWalletId === undefined
      ? []
      : [{ name: "wallet", account: { kind: "wallet", accountId: sweepToWalletId } }];
  const { entry, writes } = emptying(programId, card, emptiedMinor, sweepToWalletId, at);
  return {
    programId,
    at,
    ...(entry && { entry }),
    accounts: [closed, ...wallet],
    writes: [
      countClosedCard(programId, card.cardholderId),
      listedStatusChange(programId, card, close.to),
      cardStatusEvent(programId, cardId, { cardStatus: card.cardStatus, issuerCardStatus: close.to }),
      ...writes,
    ],
  };
}

function emptying(
  programId: string,
  card: Card,
  emptiedMinor: number,
  walletId: string | undefined,
  at: Date,
): Emptying {
  const { entityId: cardId, currency } = card;
  const amountMinor = Math.abs(emptiedMinor);
  if (emptiedMinor < 0) {
    return {
      entry: journalEntry("debt_settled", cardId, debtSettled(cardId, amountMinor), at),
      writes: [
        debtRecordPut(identityOf(programId, card), amountMinor, at),
        outboxPut(programId, "card.debt_settled", { cardId, amountMinor, currency }, at),
      ],
    };
  }
  if (emptiedMinor === 0 || walletId === undefined) return { writes: [] };
  return {
    entry: journalEntry("card_sweep", cardId, transferred(cardId, walletId, amountMinor), at),
    writes: [
      transferRecordPut(identityOf(programId, card), { amountMinor, loads: false, relatedId: cardId, at }),
      outboxPut(programId, "card.swept", { cardId, walletId, amountMinor, currency }, at),
    ],
  };
}
