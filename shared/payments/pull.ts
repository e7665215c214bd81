import * as z from "zod";
import { OrderedMandate } from "../contract/bank.ts";
import { type PullEventView, PullStatus, type PullView } from "../contract/pulls.ts";
import { defineDeadline } from "../platform/deadlines.ts";
import { pick } from "../platform/pick.ts";
import { defineEntity } from "../platform/table/entity.ts";
import { fromEach, type TransitionTable } from "../platform/table/transition.ts";
import { bankTransitions, orderedFields, type PaymentEvent, payments, toShownPayment } from "./payment.ts";

/** Every legal change of a pull's status; the code and the documentation read this one table. */
export const pullTransitions = [
  { from: "pending", trigger: "cancel", to: "cancelled" },
  ...bankTransitions,
  ...fromEach(["sent", "rejected"], "collect", "collected"),
  { from: "collected", trigger: "clear", to: "completed" },
  { from: "collected", trigger: "return", to: "returned" },
] as const satisfies TransitionTable<PullStatus, string>;

const Pull = z.object({
  ...orderedFields,
  status: PullStatus,
  mandateId: z.string(),
  mandate: OrderedMandate,
  declineReason: z.enum(["LIMIT_EXCEEDED"]).optional(),
  depositId: z.string().optional(),
  collectedAt: z.string().optional(),
  /** When what was collected clears. */
  availableOn: z.string().optional(),
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
  const day = until.getUTCDate();
  if (returnedCode === "MD01") until.setUTCMonth(until.getUTCMonth() + 13);
  else until.setUTCDate(day + 56);
  // The month has no such day: its last one.
  if (returnedCode === "MD01" && until.getUTCDate() !== day) until.setUTCDate(0);
  return until.toISOString();
}

export function toPullView(pull: Pull): PullView {
  return {
    ...toShownPayment(pull),
    pullId: pull.paymentId,
    ...pick(pull, "status", "mandateId", "collectOn", "declineReason", "depositId", "availableOn"),
    sequence: pull.mandate.sequence,
    returnableUntil: returnableUntil(pull),
    dateCollected: pull.collectedAt,
  };
}

export function toPullEventView({ entityId, status, createdAt, ...shown }: PaymentEvent): PullEventView {
  const { by, reasonCode } = shown;
  return { eventId: entityId, status: PullStatus.parse(status), by, reasonCode, dateCreated: createdAt };
}
