import * as z from "zod";
import { type Card, cards, hasOwnMoney, hasStatusIn, toCardIdentity } from "../cards/card.ts";
import { defineChange, later, type StepRefusal, unread } from "../changes/change.ts";
import { CardStatus, Currency, DestinationType, TransferStatus } from "../contract/enums.ts";
import { integerEnum, type Metadata } from "../contract/primitives.ts";
import { TransferDeclineReason } from "../contract/wallets.ts";
import { accountAt } from "../ledger/account.ts";
import { transferKey } from "../ledger/journal-entry.ts";
import { listInsert, listUpdate } from "../lists/entry.ts";
import { illegalStatus, notFound } from "../platform/http/api-error.ts";
import { labelFields } from "../platform/labels.ts";
import { all } from "../platform/table/condition.ts";
import { defineEntity } from "../platform/table/entity.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { recordOnCard } from "./card-movement.ts";
import {
  decideTransfer,
  getDestination,
  getSource,
  isTaken,
  loadRefusals,
  type TransferAnswer,
  takenExternalId,
  toTransferView,
  transferLabels,
} from "./transfer.ts";
import { toListedTransfer, transferList } from "./transfer-list.ts";

/** Only the sandbox has them: a transfer of the platform ends in its request. */
const UnmovedTransfer = z.object({
  transferId: z.string(),
  transStatus: integerEnum(TransferStatus),
  sourceWalletId: z.string(),
  destinationType: integerEnum(DestinationType),
  destinationId: z.string(),
  requestedAmountMinor: z.int(),
  transferredAmountMinor: z.int(),
  currency: integerEnum(Currency),
  declineReason: TransferDeclineReason.optional(),
  memo: z.string().optional(),
  ...labelFields,
  createdAt: z.string(),
});
export type UnmovedTransfer = Readonly<z.output<typeof UnmovedTransfer>>;

const transfers = defineEntity({
  name: "transfer",
  schema: UnmovedTransfer,
  key: transferKey,
  saysWhenChanged: true,
});

const getWallets = (transfer: UnmovedTransfer) =>
  [getSource(transfer), getDestination(transfer)].filter(({ kind }) => kind === "wallet");

type Unmoved = TransferAnswer<UnmovedTransfer>;

interface NewUnmoved {
  readonly programId: string;
  readonly transfer: UnmovedTransfer;
  readonly metadata: Metadata | undefined;
}

/** Records a transfer that moves nothing. Its lists have a change apart: it changes. */
export const unmovedTransfer = defineChange<NewUnmoved, Unmoved, "NOT_FOUND" | "EXTERNAL_ID_EXISTS">()({
  reads: ({ programId, transfer }) => ({
    source: later(accountAt(programId, getSource(transfer))),
    destination: later(accountAt(programId, getDestination(transfer))),
    externalId: takenExternalId(),
  }),
  decide: ({ programId, transfer, metadata }, { source, destination, externalId }) => {
    if (!source || !destination) return notFound({ sourceWalletId: source, destinationId: destination });
    const taken = isTaken(externalId);
    if (taken) return taken;
    const { transferId } = transfer;
    return {
      accounts: [
        { name: "source", account: getSource(transfer) },
        { name: "destination", account: getDestination(transfer) },
      ],
      writes: [
        ...getWallets(transfer).map(({ accountId }) => ({
          ...transfers.at(programId, accountId, transferId).create(transfer),
          alongside: [
            listInsert(transferList, programId, transferId, toListedTransfer(transfer, accountId), accountId),
          ],
        })),
        ...transferLabels(programId, transfer, metadata),
      ],
      answer: { ...toTransferView(transfer), metadata },
    };
  },
});

interface Outcome {
  readonly programId: string;
  readonly walletId: string;
  readonly transferId: string;
  readonly transStatus: TransferStatus;
}

/**
 * Decides a pending transfer. Approved, it moves; without the money, or a Card that takes it, it is
 * declined.
 */
export const transferOutcome = defineChange<Outcome, Unmoved, StepRefusal>()({
  reads: ({ programId, walletId, transferId }) => {
    const wallet = later(accountAt(programId, { kind: "wallet", accountId: walletId }));
    return { transfer: transfers.at(programId, walletId, transferId), source: wallet, destination: wallet };
  },
  decide: ({ programId, transStatus: wanted }, { transfer: pending, source, destination }, at) => {
    if (!pending) return { rejected: "NOT_FOUND" };
    if (pending.transStatus !== TransferStatus.pending)
      return illegalStatus(pending.transStatus, [TransferStatus.pending], TransferStatus);
    const isLoad = pending.destinationType === DestinationType.card;
    // Its condition has failed: it lacks the money.
    const isApproved = wanted === TransferStatus.approved && source === unread;
    if (isApproved && isLoad && destination === unread)
      return { readMore: { destination: cards.at(programId, pending.destinationId) } };
    const card = isApproved && isLoad && destination !== unread ? (destination as Card) : undefined;
    const refusal = card && (loadRefusals[card.issuerCardStatus] ?? (card.fundingWalletId && byWallet));
    const isMoved = isApproved && !refusal;
    const isDeclined = wanted === TransferStatus.declined || (wanted === TransferStatus.approved && !isMoved);
    const transfer: UnmovedTransfer = {
      ...pending,
      transStatus: isDeclined ? TransferStatus.declined : wanted,
      transferredAmountMinor: isMoved ? pending.requestedAmountMinor : 0,
      ...(isDeclined && { declineReason: refusal || "INSUFFICIENT_FUNDS" }),
    };
    return decideTransfer({
      programId,
      at,
      transfer,
      source: isMoved ? { isCovered: true } : undefined,
      destination: isMoved && card ? all<Card>(hasStatusIn(takingMoney), hasOwnMoney) : undefined,
      card: card && toCardIdentity(programId, card),
      recordOnCard,
      seenMinor: card?.ledgerMinor,
      recordWrites: changeWrites(programId, pending, transfer),
    });
  },
});

const byWallet = "CARD_FUNDED_BY_WALLET";
const takingMoney: readonly CardStatus[] = [CardStatus.active, CardStatus.onHold];

function changeWrites(programId: string, before: UnmovedTransfer, after: UnmovedTransfer): WriteAction[] {
  const { transferId, transStatus, transferredAmountMinor, declineReason } = after;
  const set = { transStatus, transferredAmountMinor, ...(declineReason && { declineReason }) };
  const pending = { ...before, transStatus: TransferStatus.pending };
  return getWallets(before).map(({ accountId }) => ({
    ...transfers
      .at(programId, accountId, transferId)
      .update({ set }, { transStatus: TransferStatus.pending }),
    alongside: [
      listUpdate(
        transferList,
        programId,
        transferId,
        toListedTransfer(pending, accountId),
        toListedTransfer(after, accountId),
        accountId,
      ),
    ],
  }));
}
