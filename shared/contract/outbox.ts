import * as z from "zod";

/** A request, a network event or a deadline. All log lines that follow carry it. */
export const Cause = z.object({
  requestId: z.string().optional(),
  processorEventId: z.string().optional(),
  deadlineId: z.string().optional(),
});
export type Cause = z.output<typeof Cause>;

/** What waits for somebody outside; shared/contract/outside.ts has their details. */
export const outsideKinds = [
  "kyc.requested",
  "issuance.requested",
  "production.requested",
  "deposit.expected",
  "deposit.cancelled",
  "account.check",
  "payments.ready",
] as const;

/**
 * The sort keys of the items whose changes are told to the endpoints that name them; the last ones
 * are how many begin. The stream brings each change of them to the relay.
 */
export const toldItems = [
  "AUTHENTICATION",
  "BULK",
  "CARD",
  "CARDHOLDER",
  "DEPOSIT",
  "EXTERNAL_ACCOUNT",
  "HOLD",
  "PAYMENT",
  "PROGRAM_REPORT",
  "TOKEN",
  "WALLET",
  "PLASTIC#",
  "TRANSFER#",
] as const;
export type ToldItem = (typeof toldItems)[number];

export function toToldItem(sk: string | undefined): ToldItem | undefined {
  return toldItems.find((told) => (told.endsWith("#") ? sk?.startsWith(told) : sk === told));
}

/** What takes longer than a request: the background takes it on, step by step. */
export const jobKinds = [
  "control.simulated",
  "settlement.requested",
  "statement.requested",
  "ledger.requested",
  "report.requested",
  "bulk.requested",
  "top_up.due",
] as const;
export type JobKind = (typeof jobKinds)[number];

/** What may have notifications. The fan-out makes their deliveries if the relay could not. */
export const notifyingKinds = [
  "hold.placed",
  "transaction.posted",
  "fee.posted",
  "transfer.completed",
  "card.swept",
  "card.debt_settled",
  "deposit.pending",
  "deposit.cleared",
  "deposit.returned",
  "notification.resent",
] as const satisfies readonly OutboxEvent["kind"][];

/** What the alert delivery tells. */
export const alertKinds = [
  "otp.challenged",
  "kyc.requested",
  "certificate.expiring",
  "webhook.disabled",
] as const satisfies readonly RelayedEvent["kind"][];

/**
 * What goes to the bus whatever the relay did before: a rule takes each. Of the others, it gets
 * those whose notifications the relay could not fan out.
 */
export const publishedKinds: ReadonlySet<RelayedEvent["kind"]> = new Set([
  ...jobKinds,
  ...outsideKinds,
  ...alertKinds,
  "notifications.replayed",
]);

/**
 * An event of a Program, written in the transaction of the change and relayed from the table's
 * stream. On the bus, `detail-type` is the kind; consumers deduplicate by `eventId`.
 */
export const OutboxEvent = z.object({
  eventId: z.string(),
  kind: z.enum([
    "deposit.pending",
    "deposit.cleared",
    "deposit.reversed",
    "deposit.returned",
    "deposit.suspended",
    "suspense.cleared",
    "suspense.reversed",
    "suspense.returned",
    "transfer.completed",
    "transfer.declined",
    "card.swept",
    "card.debt_settled",
    "cardholder.status_changed",
    "cardholder.blocked",
    "cardholder.unblocked",
    "card.status_changed",
    // A Card is usable if neither it nor its Cardholder is blocked.
    "card.blocked",
    "card.unblocked",
    "hold.placed",
    "hold.released",
    "authorization.declined",
    "transaction.posted",
    "transaction.noted",
    "dispute.changed",
    "fee.posted",
    "otp.challenged",
    "notification.resent",
    "notifications.replayed",
    "webhook.disabled",
    ...jobKinds,
    ...outsideKinds,
  ]),
  programId: z.string(),
  occurredAt: z.string(),
  cause: Cause.optional(),
  detail: z.record(z.string(), z.unknown()),
});
export type OutboxEvent = z.output<typeof OutboxEvent>;

export const TenantOutboxEvent = z.object({
  eventId: z.string(),
  kind: z.enum(["certificate.expiring"]),
  tenantId: z.string(),
  occurredAt: z.string(),
  cause: Cause.optional(),
  detail: z.record(z.string(), z.unknown()),
});
export type TenantOutboxEvent = z.output<typeof TenantOutboxEvent>;

export const RelayedEvent = z.discriminatedUnion("kind", [OutboxEvent, TenantOutboxEvent]);
export type RelayedEvent = z.output<typeof RelayedEvent>;

/** Their retries read them by their id. */
export const readAgain: ReadonlySet<unknown> = new Set(["otp.challenged"]);
