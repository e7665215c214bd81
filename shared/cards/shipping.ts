import * as z from "zod";
import { type ShippingStatus, shippingReport } from "../contract/shipping.ts";
import { timestamp } from "../platform/clock.ts";
import { defined, pick } from "../platform/pick.ts";
import { fromEach, type TransitionTable } from "../platform/table/transition.ts";
import type { Shipping } from "./card.ts";

type ShippingTrigger = "ship" | "deliver" | "return" | "shipAgain" | "deliverAgain";

/** Every change of `shipping.status`. Reports may be lost, so a step may skip one. */
export const shippingTransitions = [
  { from: "pending", trigger: "ship", to: "shipped" },
  { from: "pending", trigger: "deliver", to: "delivered" },
  { from: "pending", trigger: "return", to: "returned" },
  { from: "shipped", trigger: "deliver", to: "delivered" },
  ...fromEach(["shipped", "delivered"], "return", "returned"),
  ...fromEach(["delivered", "returned"], "shipAgain", "shipped"),
  { from: "returned", trigger: "deliverAgain", to: "delivered" },
] as const satisfies TransitionTable<ShippingStatus, ShippingTrigger>;

export function pendingShipping(createdAt: string): Shipping {
  return { status: "pending", updatedAt: createdAt };
}

const ShippingReport = z.object({ ...shippingReport, occurredAt: z.string().optional() });
export type ShippingReport = Readonly<z.output<typeof ShippingReport>>;

/**
 * The shipping after a report, or undefined if it says nothing new. Reports may arrive in any
 * order: the latest status wins, and one that comes too late only adds what is not known yet. A
 * step back, for a card that is shipped again, needs a report that is known to have occurred later.
 */
export function advanceShipping(before: Shipping, report: ShippingReport, at: Date): Shipping | undefined {
  const { status, occurredAt } = report;
  const order = compareTimes(occurredAt, before.occurredAt);
  const step = shippingTransitions.find(({ from, to }) => from === before.status && to === status);
  const isAgain = step?.trigger === "shipAgain" || step?.trigger === "deliverAgain";
  if (step && order !== "earlier" && (!isAgain || order === "later")) {
    const details = { ...(isAgain ? {} : pickDetails(before)), ...pickDetails(report) };
    return { ...details, status, updatedAt: timestamp(at), ...(occurredAt && { occurredAt }) };
  }
  const isCorrection = status === before.status && order !== "earlier";
  const later = order === "later" && occurredAt ? { occurredAt } : {};
  const after = isCorrection
    ? { ...before, ...pickDetails(report), ...later }
    : { ...pickDetails(report), ...before };
  const isSame = (["trackingNumber", "carrier", "occurredAt"] as const).every(
    (name) => after[name] === before[name],
  );
  return isSame ? undefined : { ...after, updatedAt: timestamp(at) };
}

type Details = Pick<Shipping, "trackingNumber" | "carrier">;

function pickDetails(given: Details): Details {
  return defined(pick(given, "trackingNumber", "carrier"));
}

/** Undefined if either is unknown, or both are the same. */
function compareTimes(time: string | undefined, other: string | undefined): "earlier" | "later" | undefined {
  if (time === undefined || other === undefined || time === other) return undefined;
  return time < other ? "earlier" : "later";
}
