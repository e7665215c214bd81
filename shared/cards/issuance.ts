import * as z from "zod";
import { cardholders } from "../cardholders/cardholder.ts";
import { type Redelivery, toRedelivery } from "../changes/change.ts";
import type { ExtendedPublicKeys, ProgramSettings } from "../contract/account-programs.ts";
import {
  CardApprovalStatus,
  CardForm,
  CardholderStatus,
  CardStatus,
  FeeType,
  type IssuanceDecision,
} from "../contract/enums.ts";
import { type AccountBalances, movedBy } from "../ledger/account.ts";
import type { Commit } from "../ledger/commit.ts";
import { readAccount } from "../ledger/hot-wallets.ts";
import { entryPuts, type JournalEntry, journalEntry } from "../ledger/journal-entry.ts";
import { feeCharged } from "../ledger/movements.ts";
import { balanceChanges, zeroBalances } from "../ledger/postings.ts";
import { renderSettlements } from "../notifications/settlement-notification.ts";
import { now } from "../platform/clock.ts";
import { deadlinePut } from "../platform/deadlines.ts";
import { ApiError } from "../platform/http/api-error.ts";
import { outboxPut } from "../platform/outbox/outbox-put.ts";
import type { Change } from "../platform/table/condition.ts";
import { defineEntity } from "../platform/table/entity.ts";
import type { FailedConditions, WriteAction } from "../platform/table/transact.ts";
import { findStep } from "../platform/table/transition.ts";
import { scheduledFeeMinor } from "../tenancy/programs/fee-schedule.ts";
import { getProgram } from "../tenancy/programs/program.ts";
import { feePut } from "../transactions/fee.ts";
import { newFee } from "../transactions/fee-rules.ts";
import { addressPuts } from "./address-owner.ts";
import { type Card, cards, toCardIdentity } from "./card.ts";
import {
  cardApprovalTransitions,
  cardStatusEvent,
  cardTransitions,
  countClosedCard,
  listedStatusChange,
} from "./card-status.ts";
import { maintenanceDeadline } from "./maintenance-deadline.ts";
import { productionWrites } from "./outside-requests.ts";

export interface IssuanceDecisionWrites {
  readonly writes: readonly WriteAction[];
  /** The notification of the issuance fee. */
  readonly redelivery?: Redelivery | undefined;
  /** The fee of a Card that spends from a Wallet: it is posted there. */
  readonly charge?: Pick<Commit, "entry" | "accounts"> | undefined;
}

/**
 * Legal once, while `cardStatus` is 0. Approval makes the Card usable (0→1 virtual, 0→4 physical),
 * assigns deposit addresses, charges the issuance fee and requires an Approved Cardholder. A
 * decline closes the Card (0→3). Failed conditions: `card` and `cardholder`.
 */
export async function prepareIssuanceDecision(
  programId: string,
  card: Card,
  decision: IssuanceDecision,
): Promise<IssuanceDecisionWrites> {
  return decision === CardApprovalStatus.approved
    ? prepareApproval(programId, card)
    : { writes: declineWrites(programId, card) };
}

/** Both statuses of a Card whose issuance is approved. */
export function approvedStatuses(cardForm: CardForm) {
  const usable = findStep(
    cardTransitions,
    cardForm === CardForm.virtual ? "approveVirtual" : "approvePhysical",
  );
  return { cardStatus: findStep(cardApprovalTransitions, "approve").to, issuerCardStatus: usable.to };
}

/** Already decided, or the Cardholder is no longer Approved. */
export function toIssuanceError(failed: FailedConditions): ApiError {
  const isMissing = failed.has("card") && failed.get("card") === undefined;
  return new ApiError(isMissing ? "NOT_FOUND" : "ILLEGAL_TRANSITION");
}

async function prepareApproval(programId: string, card: Card): Promise<IssuanceDecisionWrites> {
  const { settings } = await getProgram(programId);
  const addresses = await addressesFor(programId, card, settings);
  const charged = chargeIssuance(programId, card, settings, now(), await readFunding(programId, card));
  const { availableMinor, ledgerMinor, entries, moved } = charged.account;
  const writes = [
    ...decisionWrites(programId, card, approvedStatuses(card.cardForm), {
      set: { ...addresses, ...(moved !== undefined && { moved }) },
      add: { availableMinor, ledgerMinor, entries },
    }),
    cardholders.at(programId, card.cardholderId).check({ status: CardholderStatus.approved }),
    ...charged.writes,
    ...addressPuts(programId, card.entityId, addresses.cryptoAddresses),
    ...productionWrites(programId, card),
  ];
  return { writes, redelivery: charged.redelivery, charge: charged.charge };
}

/** The Wallet that the Card spends from. */
export async function readFunding(
  programId: string,
  { fundingWalletId: accountId }: Pick<Card, "fundingWalletId">,
): Promise<AccountBalances | undefined> {
  return accountId === undefined ? undefined : readAccount(programId, { kind: "wallet", accountId });
}

/** Takes no index for a Card that was already decided: its condition will fail. */
async function addressesFor(programId: string, card: Card, settings: ProgramSettings) {
  if (card.cardStatus !== CardApprovalStatus.pending)
    return { cryptoAddresses: card.cryptoAddresses, addressIndex: 0 };
  return issueAddresses(programId, settings.extendedPublicKeys);
}

function declineWrites(programId: string, card: Card): WriteAction[] {
  const statuses = {
    cardStatus: findStep(cardApprovalTransitions, "decline").to,
    issuerCardStatus: findStep(cardTransitions, "decline").to,
  };
  return [...decisionWrites(programId, card, statuses), countClosedCard(programId, card.cardholderId)];
}

/** Both statuses with their event. Requires a Card that awaits its decision: 0 Pending in both. */
function decisionWrites(
  programId: string,
  card: Card,
  statuses: Pick<Card, "cardStatus" | "issuerCardStatus">,
  { set = {}, add = {} }: Change<Card> = {},
): WriteAction[] {
  const pending = { cardStatus: CardApprovalStatus.pending, issuerCardStatus: CardStatus.pending };
  return [
    {
      ...cards.at(programId, card.entityId).update({ set: { ...set, ...statuses }, add }, pending),
      alongside: [listedStatusChange(programId, { ...card, ...pending }, statuses.issuerCardStatus)],
    },
    cardStatusEvent(programId, card.entityId, statuses),
  ];
}

/**
 * Charged in the approving transaction, so that the Card starts in debt. The first maintenance is
 * due from then. Also returns the new Card's balances, and how many entries it has. `wallet`: the
 * one that it spends from, which is charged instead, as every fee also below zero.
 */
export function chargeIssuance(
  programId: string,
  card: Card,
  settings: ProgramSettings,
  at: Date,
  wallet?: AccountBalances,
): IssuanceDecisionWrites & { readonly account: AccountBalances & Pick<Card, "entries" | "moved"> } {
  const amountMinor = scheduledFeeMinor(settings, FeeType.issuance);
  const maintained = scheduledFeeMinor(settings, FeeType.maintenance) > 0;
  const maintenance = maintained ? [deadlinePut(maintenanceDeadline(programId, card, at))] : [];
  if (amountMinor === 0) return { account: uncharged, writes: maintenance };
  const identity = toCardIdentity(programId, card);
  const { fundingWalletId: walletId } = card;
  const charged = newFee({ identity, at }, { feeType: FeeType.issuance, amountMinor });
  const fee = walletId === undefined ? charged : { ...charged, fundingWalletId: walletId };
  const postings = feeCharged(walletId ?? identity.cardId, amountMinor);
  const entry = journalEntry("fee", fee.feeId, postings, at);
  const balances = balanceChanges(postings).get(identity.cardId) ?? zeroBalances;
  const { outboxDetail, writesWithBalance } = renderSettlements(identity, { fee });
  const ledgerMinor = wallet ? wallet.ledgerMinor - amountMinor : balances.ledgerMinor;
  return {
    account: walletId === undefined ? { ...balances, entries: 1, ...movedBy(entry) } : uncharged,
    charge: walletId === undefined ? undefined : chargeWallet(identity.cardId, walletId, entry),
    writes: [
      ...(walletId === undefined ? entryPuts(programId, entry) : []),
      feePut(fee),
      ...writesWithBalance(ledgerMinor),
      outboxPut(programId, "fee.posted", { card: identity, fee, ...outboxDetail }, at),
      ...maintenance,
    ],
    redelivery: toRedelivery("fee.posted", outboxDetail.notificationIds),
  };
}

const uncharged = { ...zeroBalances, entries: 0 };

function chargeWallet(cardId: string, walletId: string, entry: JournalEntry) {
  const wallet = { name: walletId, account: { kind: "wallet", accountId: walletId } } as const;
  return { entry: { ...entry, cardId }, accounts: [wallet] };
}

const addressIndexes = defineEntity({
  name: "address index",
  schema: z.object({ taken: z.int() }),
  key: (programId: string) => ({ pk: `${programId}#ADDRESS_INDEX`, sk: "COUNTER" }),
});

/**
 * Addresses unique within the Program. Imports the curves on demand: most invocations need none,
 * and should not wait for them at a cold start.
 */
export async function issueAddresses(programId: string, keys: ExtendedPublicKeys) {
  const [addressIndex, { cryptoAddresses }] = await Promise.all([
    takeAddressIndex(programId),
    import("./crypto-addresses.ts"),
  ]);
  return { cryptoAddresses: cryptoAddresses(keys, addressIndex), addressIndex };
}

/**
 * The next index, from 0, never reused. Outside the issuing transaction, where all issuances would
 * contend for it: a failed issuance only leaves a gap.
 */
async function takeAddressIndex(programId: string): Promise<number> {
  const outcome = await addressIndexes.at(programId).updateNow({ add: { taken: 1 } });
  if (!outcome.updated) throw new Error("An update without a condition cannot fail one.");
  return outcome.item.taken - 1;
}
