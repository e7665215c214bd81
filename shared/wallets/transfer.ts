import type { CardIdentity } from "../cards/card.ts";
import { type Decided, type Read, type Unread, unread } from "../changes/change.ts";
import { CardStatus, type Currency, DestinationType, type TransferStatus } from "../contract/enums.ts";
import type { Metadata } from "../contract/primitives.ts";
import type { TransferDeclineReason, TransferListItem } from "../contract/wallets.ts";
import {
  type Account,
  type AccountChange,
  type AccountCondition,
  accountAt,
  type StoredAccount,
} from "../ledger/account.ts";
import { journalEntry, ownChange, transferKey } from "../ledger/journal-entry.ts";
import { transferred } from "../ledger/postings.ts";
import { environment } from "../platform/environment.ts";
import { type Labelling, labelPuts, type Pointer, parsePointer } from "../platform/labels.ts";
import { outboxPut } from "../platform/outbox/outbox-put.ts";
import { pick } from "../platform/pick.ts";
import type { WriteAction } from "../platform/table/transact.ts";

/** A transfer as it is stored with each Wallet that it touches. */
export type Transfer = TransferRecord & TransferSource;

/** A Wallet, or the Card that is unloaded. */
type TransferSource =
  | { readonly sourceWalletId: string; readonly sourceCardId?: never }
  | { readonly sourceCardId: string; readonly sourceWalletId?: never };

interface TransferRecord {
  readonly transferId: string;
  readonly transStatus: TransferStatus;
  readonly destinationType: DestinationType;
  readonly destinationId: string;
  readonly requestedAmountMinor: number;
  readonly transferredAmountMinor: number;
  readonly currency: Currency;
  readonly declineReason?: TransferDeclineReason | undefined;
  readonly memo?: string | undefined;
  readonly externalId?: string | undefined;
  readonly hasMetadata?: true | undefined;
  /** A top-up by the platform itself. */
  readonly automatic?: true | undefined;
  readonly createdAt: string;
}

/** Why a Card takes no load, by its status. */
export const loadRefusals: Partial<Record<CardStatus, TransferDeclineReason>> = {
  [CardStatus.pending]: "CARD_PENDING",
  [CardStatus.closed]: "CARD_CLOSED",
  [CardStatus.notActivated]: "CARD_NOT_ACTIVATED",
};

/** A transfer that loads or unloads a Card, as the Card has it. */
interface CardMovement {
  readonly loads: boolean;
  readonly amountMinor: number;
  /** The transfer, or the Card that is swept. */
  readonly relatedId: string;
  readonly at: Date;
}

/** What the Card's statement shows of it, and what its Program is told: `card-movement.ts`. */
export type RecordOnCard = (
  card: CardIdentity,
  movement: CardMovement,
) => {
  readonly writes: readonly WriteAction[];
  /** They need the Card's ledger balance after the entry. */
  readonly writesWithBalance: (ledgerMinor: number) => readonly WriteAction[];
  /** The event's detail has it. */
  readonly outboxDetail: object;
};

/** A hot Wallet's own item does not decide: then it is as if it had not been read. */
export function wholeWallet(programId: string, accountId: string): Read<StoredAccount> {
  const wallet = accountAt(programId, { kind: "wallet", accountId });
  const get = async () => {
    const stored = await wallet.get();
    return stored?.shards ? unread : stored;
  };
  return { get, parse: (stored) => wallet.parse(stored) };
}

/** A decided transfer, and the conditions that the decision depends on. */
export interface DecidedTransfer<T extends Transfer> {
  readonly programId: string;
  readonly at: Date;
  readonly transfer: T;
  /** Undefined if the decision does not depend on it. */
  readonly source?: Pick<AccountChange, "isCovered" | "require" | "balances"> | undefined;
  readonly destination?: AccountCondition | undefined;
  /** The Card that is loaded or unloaded, whose statement shows it. */
  readonly card: CardIdentity | undefined;
  readonly recordOnCard: RecordOnCard;
  /** Its ledger balance, where it has been read. */
  readonly seenMinor?: number | undefined;
  /** The writes of its record, where it has one already: then it has its labels too. */
  readonly recordWrites?: readonly WriteAction[];
  readonly metadata?: Metadata | undefined;
}

export type TransferAnswer<T extends Transfer> = ReturnType<typeof toTransferView<T>> & {
  readonly metadata?: Metadata | undefined;
};

/**
 * A transfer, or the record of its decline. Conditions: `source`, `destination`, `transfer`,
 * `externalId`.
 */
export function decideTransfer<T extends Transfer>(decided: DecidedTransfer<T>): Decided<TransferAnswer<T>> {
  const { programId, at, transfer, source, destination, seenMinor, recordWrites, metadata } = decided;
  const { transferId, transferredAmountMinor: amountMinor, memo } = transfer;
  const [from, to] = [getSource(transfer), getDestination(transfer)];
  const isMoved = amountMinor > 0;
  const entry = () => {
    const ofWallet = transfer.automatic ? "top_up" : "transfer";
    const kind = from.kind === "card" ? "card_unload" : ofWallet;
    return journalEntry(kind, transferId, transferred(from.accountId, to.accountId, amountMinor), at, memo);
  };
  const kind = isMoved ? "transfer.completed" : "transfer.declined";
  const card = isMoved ? decided.card : undefined;
  const loads = to.kind === "card";
  const recorded = card && decided.recordOnCard(card, { loads, amountMinor, relatedId: transferId, at });
  return {
    ...(isMoved && { entry: entry() }),
    accounts: [
      ...(source ? [{ name: "source", account: from, ...source }] : []),
      { name: "destination", account: to, ...(destination && { require: destination }) },
    ],
    writes: [
      ...(recordWrites ?? [
        ...transferPuts(programId, transfer),
        ...transferLabels(programId, transfer, metadata),
      ]),
      ...(recorded?.writes ?? []),
      outboxPut(programId, kind, { ...transfer, ...recorded?.outboxDetail }, at),
    ],
    ...(recorded && {
      balanceAfter: {
        name: loads ? "destination" : "source",
        writes: recorded.writesWithBalance,
        seenMinor,
        mayGuess: true,
      },
    }),
    answer: { ...toTransferView(transfer), metadata },
  };
}

/** What keeps others from its `externalId`, and its metadata. */
export function transferLabels(
  programId: string,
  transfer: Transfer,
  metadata: Metadata | undefined,
): WriteAction[] {
  const { transferId: recordId, externalId, sourceWalletId, destinationId } = transfer;
  const of = { programId, kind: "transfer", recordId, ownerId: sourceWalletId ?? destinationId } as const;
  return labelPuts(of, { externalId, metadata });
}

/** The pointer that a condition on the `externalId` finds: another transfer has it. */
export function takenExternalId(): Read<Pointer> {
  return { isLater: true, get: async () => unread, parse: parsePointer };
}

/** Another transfer has the `externalId`. */
export function isTaken(found: Pointer | Unread | undefined) {
  if (!found || found === unread) return undefined;
  return { rejected: "EXTERNAL_ID_EXISTS", existingId: found.recordId } as const;
}

/** An earlier try, whose answer was lost, was committed after all. */
export function ownTransfer<T extends Transfer>(): Read<T> {
  return { isLater: true, get: async () => undefined, parse: (stored) => stored as T | undefined };
}

export function getSource({ sourceWalletId, sourceCardId }: TransferSource): Account {
  return sourceCardId === undefined
    ? { kind: "wallet", accountId: sourceWalletId }
    : { kind: "card", accountId: sourceCardId };
}

export function getDestination({
  destinationType,
  destinationId,
}: Pick<Transfer, "destinationType" | "destinationId">): Account {
  return { kind: destinationType === DestinationType.card ? "card" : "wallet", accountId: destinationId };
}

/** The transfer's record with each Wallet that it touches. */
export function transferPuts(programId: string, transfer: Transfer): WriteAction[] {
  return [getSource(transfer), getDestination(transfer)]
    .filter(({ kind }) => kind === "wallet")
    .map(({ accountId }) => ({
      name: "transfer",
      Put: {
        TableName: environment.issuingTable,
        Item: {
          ...transferKey(programId, accountId, transfer.transferId),
          ...ownChange,
          ...transfer,
        },
        ConditionExpression: "attribute_not_exists(pk)",
      },
    }));
}

export function toTransferView<T extends Transfer>(
  transfer: T,
): Labelling<Omit<TransferListItem, keyof TransferSource> & Pick<T, keyof TransferSource>> {
  return {
    ...pick(transfer, "transferId", "transStatus", "sourceWalletId", "sourceCardId", "destinationType"),
    ...pick(transfer, "destinationId", "currency", "declineReason", "memo", "externalId", "hasMetadata"),
    automatic: transfer.automatic,
    requestedAmount: transfer.requestedAmountMinor,
    transferredAmount: transfer.transferredAmountMinor,
    dateCreated: transfer.createdAt,
  };
}
