import * as z from "zod";
import {
  DisputeLiability,
  DisputeReason,
  DisputeStatus,
  DisputeTrigger,
  type DisputeView,
} from "../../contract/disputes.ts";
import { Currency, TransactionType } from "../../contract/enums.ts";
import { integerEnum } from "../../contract/primitives.ts";
import { listInsert, listUpdate } from "../../lists/change.ts";
import type { ListKind } from "../../lists/entry.ts";
import { disputeKey } from "../../platform/table/dispute-keys.ts";
import { defineEntity } from "../../platform/table/entity.ts";
import type { Key } from "../../platform/table/keys.ts";
import type { WriteAction } from "../../platform/table/transact.ts";

const fields = z.object({
  programId: z.string(),
  disputeId: z.string(),
  /** The `disputeId` of a listed dispute: not yet of one from before disputes were listed. */
  entityId: z.string().optional(),
  cardId: z.string(),
  transId: z.string(),
  /** The type of the disputed transaction; a purchase if absent. */
  disputedType: integerEnum(TransactionType).optional(),
  amountMinor: z.int(),
  status: DisputeStatus,
  /** These are absent where the dispute is from before customers could create one. */
  cardholderId: z.string().optional(),
  currency: integerEnum(Currency).optional(),
  referenceCode: z.string().optional(),
  reason: DisputeReason.optional(),
  note: z.string().optional(),
  /** By its journal entries. Absent where none of them names what is disputed. */
  liability: DisputeLiability.optional(),
  /** What the Card has of the Program's advance. */
  creditedMinor: z.int(),
  creditDueAt: z.string().optional(),
  deadlineAt: z.string().optional(),
  /** When the network last asked for evidence. */
  requestedAt: z.string().optional(),
  /** Of its last notification, to which the next one refers. */
  transIdSc: z.string().optional(),
  createdAt: z.string(),
  changedAt: z.string().optional(),
  /** Counts changes. */
  version: z.int().optional(),
});

const chargebackStatuses = ["submitted", "representment", "won", "lost", "lost", "withdrawn"] as const;
const openOrKept: ReadonlySet<number> = new Set([0, 1, 2, 4]);

/** A chargeback of an earlier version: the status is a number, and the Card was credited. */
function fromChargeback(item: unknown): unknown {
  const { status, chargebackId, amountMinor, ...others } = Object(item) as Record<string, unknown>;
  if (typeof status !== "number") return item;
  const creditedMinor = openOrKept.has(status) ? amountMinor : 0;
  return {
    ...others,
    disputeId: chargebackId,
    amountMinor,
    creditedMinor,
    status: chargebackStatuses[status],
  };
}

/** A disputed transaction, or a part of one. */
const Dispute = z.preprocess(fromChargeback, fields);
export type Dispute = Readonly<z.output<typeof Dispute>>;

export const disputes = defineEntity({
  name: "dispute",
  table: "issuing",
  schema: Dispute,
  key: disputeKey.dispute,
});

export const disputeList: ListKind = {
  name: "disputes",
  filters: ["status"],
  orders: ["amountMinor"],
  shards: 4,
  recordKey: ({ programId }, disputeId) => disputeKey.dispute(programId, disputeId),
};

/** Points to a Card's dispute. */
const disputesOfCard = defineEntity({
  name: "disputeOf",
  table: "issuing",
  schema: z.object({ disputeId: z.string() }),
  key: disputeKey.ofCard,
});

/** The keys of the disputes of these Cards. */
export async function disputeKeysOf(programId: string, cardIds: readonly string[]): Promise<Key[]> {
  const pointers = await Promise.all(cardIds.map((cardId) => disputesOfCard.list(programId, cardId)));
  return pointers.flat().map(({ disputeId }) => disputeKey.dispute(programId, disputeId));
}

/** Fails if the dispute is not as it was read. One from before joins the list. */
export function disputeWrites(before: Dispute | undefined, after: Dispute): WriteAction[] {
  const { programId, disputeId, cardId } = after;
  const listed = { ...after, entityId: disputeId, version: (before?.version ?? 0) + 1 };
  const item = disputes.at(programId, disputeId);
  const put = before ? item.put(listed, { version: before.version }) : item.create(listed);
  if (before?.entityId !== undefined) {
    const isListedAlike = before.status === after.status && before.amountMinor === after.amountMinor;
    const change = listUpdate(disputeList, programId, disputeId, before, listed);
    return [{ ...put, alongside: isListedAlike ? [] : [change] }];
  }
  const pointer = disputesOfCard.at(programId, cardId, disputeId).create({ disputeId });
  return [{ ...put, alongside: [listInsert(disputeList, programId, disputeId, listed), pointer] }];
}

const DisputeEvent = z.object({
  /** As its `eventId`. */
  entityId: z.string(),
  trigger: DisputeTrigger,
  status: DisputeStatus,
  amountMinor: z.int(),
  liability: DisputeLiability,
  transIds: z.array(z.string()),
  createdAt: z.string(),
});
export type DisputeEvent = Readonly<z.output<typeof DisputeEvent>>;

/** What happened to a dispute. */
export const disputeEvents = defineEntity({
  name: "disputeEvent",
  table: "issuing",
  schema: DisputeEvent,
  key: disputeKey.event,
});

/** Of one from before: what its status says. */
export function liabilityOf({ liability, status, amountMinor, creditedMinor }: Dispute): DisputeLiability {
  if (liability) return liability;
  const of = (isSo: boolean) => (isSo ? amountMinor : 0);
  const isKept = status === "lost" && creditedMinor > 0;
  return {
    original: amountMinor,
    recovered: of(status === "won"),
    writtenOff: of(isKept),
    denied: of(status === "withdrawn" || (status === "lost" && !isKept)),
    remaining: of(status === "submitted" || status === "representment"),
  };
}

/** With what a dispute from before lacks: its Cardholder, currency and reference code. */
export type CompleteDispute = Dispute &
  Required<Pick<Dispute, "cardholderId" | "currency" | "referenceCode">>;

export function isComplete(dispute: Dispute): dispute is CompleteDispute {
  return dispute.cardholderId !== undefined && dispute.referenceCode !== undefined;
}

export function toDisputeView(dispute: CompleteDispute): DisputeView {
  return {
    disputeId: dispute.disputeId,
    status: dispute.status,
    transId: dispute.transId,
    referenceCode: dispute.referenceCode,
    cardId: dispute.cardId,
    cardholderId: dispute.cardholderId,
    reason: dispute.reason ?? "other",
    note: dispute.note,
    amount: dispute.amountMinor,
    currency: dispute.currency,
    liability: liabilityOf(dispute),
    creditedAmount: dispute.creditedMinor,
    creditDue: dispute.creditDueAt,
    deadline: dispute.deadlineAt,
    dateCreated: dispute.createdAt,
    dateChanged: dispute.changedAt ?? dispute.createdAt,
  };
}
