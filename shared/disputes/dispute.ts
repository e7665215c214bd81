import * as z from "zod";
import {
  DisputeLiability,
  DisputeReason,
  DisputeStatus,
  DisputeTrigger,
  type DisputeView,
} from "../contract/disputes.ts";
import { Currency, TransactionType } from "../contract/enums.ts";
import { integerEnum } from "../contract/primitives.ts";
import { listInsert, listUpdate } from "../lists/entry.ts";
import { defineList } from "../lists/kind.ts";
import { type Labelling, labelFields } from "../platform/labels.ts";
import { pick } from "../platform/pick.ts";
import { defineEntity } from "../platform/table/entity.ts";
import type { Key } from "../platform/table/keys.ts";
import type { WriteAction } from "../platform/table/transact.ts";

/** A disputed transaction, or a part of one. */
const Dispute = z.object({
  programId: z.string(),
  disputeId: z.string(),
  /** The `disputeId`. */
  entityId: z.string(),
  cardId: z.string(),
  transId: z.string(),
  /** The type of the disputed transaction. */
  disputedType: integerEnum(TransactionType),
  amountMinor: z.int(),
  status: DisputeStatus,
  cardholderId: z.string(),
  currency: integerEnum(Currency),
  referenceCode: z.string(),
  reason: DisputeReason,
  note: z.string().optional(),
  /** It follows from the journal entries. */
  liability: DisputeLiability,
  /** What the Card has of the Program's advance. */
  creditedMinor: z.int(),
  creditDueAt: z.string().optional(),
  deadlineAt: z.string().optional(),
  /** When the network last asked for evidence. */
  requestedAt: z.string().optional(),
  /** Its last notification, to which the next one refers. */
  transIdSc: z.string().optional(),
  createdAt: z.string(),
  changedAt: z.string(),
  /** Counts changes. */
  version: z.int(),
  ...labelFields,
});

export type Dispute = Readonly<z.output<typeof Dispute>>;

export const disputes = defineEntity({
  name: "dispute",
  schema: Dispute,
  key: (programId: string, disputeId: string) => ({ pk: `${programId}#${disputeId}`, sk: "DISPUTE" }),
});

export const disputeList = defineList({
  name: "disputes",
  filters: ["status"],
  orders: ["amountMinor"],
  shards: 4,
  recordKey: ({ programId }, disputeId) => disputes.key(programId, disputeId),
});

/** Points to a Card's dispute. */
const disputesOfCard = defineEntity({
  name: "disputeOf",
  schema: z.object({ disputeId: z.string() }),
  key: (programId: string, cardId: string, disputeId: string) => ({
    pk: `${programId}#${cardId}`,
    sk: `DISPUTE#${disputeId}`,
  }),
});

/** The keys of the disputes of these Cards. */
export async function readDisputeKeys(programId: string, cardIds: readonly string[]): Promise<Key[]> {
  const pointers = await Promise.all(cardIds.map((cardId) => disputesOfCard.list(programId, cardId)));
  return pointers.flat().map(({ disputeId }) => disputes.key(programId, disputeId));
}

/** Fails if the dispute is not as it was read. */
export function disputeWrites(before: Dispute | undefined, after: Dispute): WriteAction[] {
  const { programId, disputeId, cardId } = after;
  const next = { ...after, version: after.version + 1 };
  const item = disputes.at(programId, disputeId);
  if (before) {
    const isListedAlike = before.status === after.status && before.amountMinor === after.amountMinor;
    const change = listUpdate(disputeList, programId, disputeId, before, next);
    return [{ ...item.put(next, { version: before.version }), alongside: isListedAlike ? [] : [change] }];
  }
  const pointer = disputesOfCard.at(programId, cardId, disputeId).create({ disputeId });
  return [
    { ...item.create(next), alongside: [listInsert(disputeList, programId, disputeId, next), pointer] },
  ];
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
  schema: DisputeEvent,
  key: (programId: string, disputeId: string, eventId: string) => ({
    pk: `${programId}#${disputeId}`,
    sk: `DISPUTE_EVENT#${eventId}`,
  }),
});

/** Without metadata. */
export function toDisputeView(dispute: Dispute): Labelling<DisputeView> {
  return {
    ...pick(dispute, "disputeId", "status", "transId", "referenceCode", "cardId", "cardholderId", "reason"),
    ...pick(dispute, "note", "currency", "liability", "externalId", "hasMetadata"),
    amount: dispute.amountMinor,
    creditedAmount: dispute.creditedMinor,
    creditDue: dispute.creditDueAt,
    deadline: dispute.deadlineAt,
    dateCreated: dispute.createdAt,
    dateChanged: dispute.changedAt,
  };
}
