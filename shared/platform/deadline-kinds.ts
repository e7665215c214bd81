import * as z from "zod";
import { Cause } from "../contract/outbox.ts";

const common = {
  /** The Program or Tenant of the record. */
  ownerId: z.string(),
  /** The record's id, unless the kind names it, so that the deadline can be cancelled. */
  deadlineId: z.string(),
  dueAt: z.date(),
  /** The request or event that led to it. */
  cause: Cause.optional(),
};

/** Something to do later. The sweep finds it when it is due. */
export const Deadline = z.discriminatedUnion("kind", [
  z.object({ ...common, kind: z.literal("apply_cardholder_block"), cardholderId: z.string() }),
  z.object({ ...common, kind: z.literal("apply_limits") }),
  z.object({ ...common, kind: z.literal("charge_maintenance"), cardId: z.string() }),
  z.object({ ...common, kind: z.literal("clear_deposit") }),
  z.object({ ...common, kind: z.literal("close_ticket") }),
  z.object({ ...common, kind: z.literal("credit_dispute"), disputeId: z.string() }),
  z.object({ ...common, kind: z.literal("decide_endpoint") }),
  z.object({ ...common, kind: z.literal("end_dispute") }),
  z.object({ ...common, kind: z.literal("end_review"), sessionId: z.string() }),
  z.object({ ...common, kind: z.literal("expire_deposit") }),
  z.object({ ...common, kind: z.literal("expire_hold"), authorizationId: z.string() }),
  z.object({ ...common, kind: z.literal("forget_code") }),
  z.object({ ...common, kind: z.literal("forget_pin"), cardId: z.string() }),
  /** An authorization that was asked about, and not decided. */
  z.object({ ...common, kind: z.literal("lapse_authorization"), authorizationId: z.string() }),
  z.object({ ...common, kind: z.literal("merge_shards"), walletId: z.string() }),
  z.object({ ...common, kind: z.literal("remind_certificate") }),
  /** `delivery`: the message of shared/notifications/delivery. */
  z.object({ ...common, kind: z.literal("retry_delivery"), delivery: z.record(z.string(), z.unknown()) }),
]);
export type Deadline = Readonly<z.output<typeof Deadline>>;
export type DeadlineKind = Deadline["kind"];
export type DeadlineOf<Kind extends DeadlineKind> = Extract<Deadline, { kind: Kind }>;

/** In the order of a sweep. Each has its own partitions, so that many of one never hide another. */
export const deadlinePriorities = ["urgent", "normal", "bulk"] as const;
export type DeadlinePriority = (typeof deadlinePriorities)[number];

/** Urgent: releases money, or stops cards. Bulk: thousands at a time, and can wait. */
export const priorities: Readonly<Record<DeadlineKind, DeadlinePriority>> = {
  apply_cardholder_block: "urgent",
  clear_deposit: "urgent",
  credit_dispute: "urgent",
  expire_hold: "urgent",
  lapse_authorization: "urgent",
  apply_limits: "normal",
  close_ticket: "normal",
  decide_endpoint: "normal",
  end_dispute: "normal",
  end_review: "normal",
  expire_deposit: "normal",
  forget_code: "normal",
  forget_pin: "normal",
  remind_certificate: "normal",
  retry_delivery: "normal",
  charge_maintenance: "bulk",
  merge_shards: "bulk",
};
