import type { Hold } from "../authorizations/holds/hold.ts";
import type { Card, CardIdentity, SpendLimit } from "../cards/card.ts";
import { CardApprovalStatus, CardForm, CardStatus, type Currency } from "../contract/enums.ts";
import type { CardControls } from "../controls/read-controls.ts";
import { zeroBalances } from "../ledger/postings.ts";
import type { Funding } from "../network-events/funding.ts";
import type { OfPresented } from "../network-events/plan.ts";

/** A Card when its simulation begins. */
export interface CardStart {
  readonly cardId: string;
  readonly cardholderId: string;
  readonly currency: Currency;
  readonly availableMinor: number;
  /** Those that began earlier and change later. */
  readonly holds: readonly Hold[];
  /** From when on its events are decided again. */
  readonly fromMs: number;
  /** The Wallets that have paid for it since, or hold for it. */
  readonly walletIds: readonly string[];
  /** How much of its Wallet it may spend, as it is now. */
  readonly limit?: SpendLimit | undefined;
}

/** A Card while its events are decided again. */
export interface SimulatedCard {
  readonly identity: CardIdentity;
  readonly controls: CardControls;
  readonly limit?: SpendLimit | undefined;
  availableMinor: number;
}

/** A Wallet when the simulation of the Cards that spend from it begins. */
export interface WalletStart {
  readonly walletId: string;
  readonly availableMinor: number;
}

/** A Wallet while the events of its Cards are decided again. */
export interface SimulatedWallet extends WalletStart {
  availableMinor: number;
}

/** What the Wallet that pays an event has by then, and the Card's limit of it. */
export function toFunding(
  { identity: { currency }, limit }: Pick<SimulatedCard, "identity" | "limit">,
  { walletId, availableMinor }: SimulatedWallet,
): Funding {
  const wallet = { ...zeroBalances, entityId: walletId, currency, entries: 0, availableMinor };
  return { now: walletId, limit, walletId, wallet };
}

/** Usable, unless the record says otherwise: a status does not depend on controls. */
export function toAccount(
  { identity, availableMinor }: SimulatedCard,
  declineReason: string | undefined,
): Card {
  return {
    entityId: identity.cardId,
    cardholderId: identity.cardholderId,
    currency: identity.currency,
    cardHolderLastName: "",
    cardStatus: CardApprovalStatus.approved,
    issuerCardStatus: CardStatus.active,
    ...(/^(CARD|PLASTIC)_/.test(declineReason ?? "") && { blockedAt: "" }),
    cardForm: CardForm.virtual,
    cardType: 0,
    bin: "",
    lastFour: "",
    expiryMonth: 12,
    expiryYear: 9999,
    cardToken: "",
    nameOnCard: "",
    availableMinor,
    heldMinor: 0,
    pendingDepositMinor: 0,
    ledgerMinor: 0,
    entries: 0,
    createdAt: "",
    cryptoAddresses: [],
  };
}

/** The token is active, unless the record says otherwise. */
export function toPresented(
  { tokenId }: { readonly tokenId?: string },
  declineReason: string | undefined,
): OfPresented["presented"] {
  const isWrong = declineReason === "TOKEN_NOT_ACTIVE" || declineReason === "NOT_FOUND";
  return tokenId !== undefined && isWrong ? { refusedLast: { reason: "NOT_FOUND" } } : undefined;
}
