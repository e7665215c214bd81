import * as z from "zod";
import { OrderedMandate } from "../contract/bank.ts";
import { TransferStatus } from "../contract/enums.ts";
import { type PullEventView, PullStatus, type PullView } from "../contract/pulls.ts";
import { defineDeadline } from "../platform/deadlines.ts";
import { defineEntity } from "../platform/table/entity.ts";
import type { TransitionTable } from "../platform/table/transition.ts";
import { bankTransitions, type PaymentEvent, paymentFields, payments } from "./payment.ts";

/** Every legal change of a pull's status; the code and the documentation read this one table. */
export const pullTransitions = [
  { from: "pending", trigger: "cancel", to: "cancelled" },
  ...bankTransitions,
  { from: "sent", trigger: "collect", to: "collected" },
  { from: "rejected", trigger: "collect", to: "collected" },
  { from: "collected", trigger: "clear", to: "completed" },
  { from: "collected", trigger: "return", to: "returned" },
] as const satisfies TransitionTable<PullStatus, string>;

const Pull = z.object({
  ...paymentFields,
  status: PullStatus,
  walletId: z.string(),
  mandateId: z.string(),
  mandate: OrderedMandate,
  externalId: z.string().optional(),
  declineReason: z.enum(["LIMIT_EXCEEDED"]).optional(),
  createdBy: z.string(),
  /** The day of the Program that counts it. */
  day: z.string(),
  depositId: z.string().optional(),
  collectedAt: z.string().optional(),
  /** When what was collected clears. */
  availableOn: z.string().optional(),
  completedAt: z.string().optional(),
  rejectedCode: z.string().optional(),
  returnedAt: z.string().optional(),
  returnedCode: z.string().optional(),
});
export type Pull = Readonly<z.output<typeof Pull>>;

export const pulls = defineEntity({ name: "pull", schema: Pull, saysWhenChanged: true, key: payments.key });

/** What was collected is still there after the Program's hold days. */
export const clearing = defineDeadline("clear_pull", "urgent", z.object({ pullId: z.string() }));

export const clearingId = (pullId: string) => `clear:${pullId}`;

/** Who has paid can have it back: longer where there was no mandate. */
export function returnableUntil({ collectedAt, returnedCode }: Pull): string | undefined {
  if (collectedAt === undefined) return undefined;
  const until = new Date(collectedAt);
  if (returnedCode === "MD01") until.setUTCMonth(until.getUTCMonth() + 13);
  else until.setUTCDate(until.getUTCDate() + 56);
  return until.toISOString();
}

const { pending, approved, declined, error } = TransferStatus;
const transStatuses = {
  pending,
  sent: pending,
  collected: pending,
  completed: approved,
  declined,
  cancelled: error,
  rejected: error,
  returned: error,
} as const satisfies Record<PullStatus, TransferStatus>;

export function toPullView(pull: Pull): PullView {
  const { status, rejectedCode, returnedCode } = pull;
  return {
    pullId: pull.paymentId,
    transStatus: transStatuses[status],
    status,
    amount: pull.amountMinor,
    currency: pull.currency,
    walletId: pull.walletId,
    externalAccountId: pull.externalAccountId,
    mandateId: pull.mandateId,
    sequence: pull.mandate.sequence,
    endToEndId: pull.endToEndId,
    collectOn: pull.collectOn,
    reference: pull.reference,
    externalId: pull.externalId,
    declineReason: pull.declineReason,
    reasonCode: status === "rejected" ? rejectedCode : status === "returned" ? returnedCode : undefined,
    depositId: pull.depositId,
    availableOn: pull.availableOn,
    returnableUntil: returnableUntil(pull),
    fileId: pull.fileId,
    createdBy: pull.createdBy,
    dateCreated: pull.createdAt,
    dateSent: pull.sentAt,
    dateCollected: pull.collectedAt,
    dateCompleted: pull.completedAt,
    dateReturned: pull.returnedAt,
  };
}

export function toPullEventView({ entityId, status, createdAt, ...shown }: PaymentEvent): PullEventView {
  const { by, reasonCode } = shown;
  return { eventId: entityId, status: PullStatus.parse(status), by, reasonCode, dateCreated: createdAt };
}
