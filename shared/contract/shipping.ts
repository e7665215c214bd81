import * as z from "zod";
import { text, timestamp } from "./primitives.ts";

/** `pending` until a physical card is shipped for the first time. */
export const ShippingStatus = z.enum(["pending", "shipped", "delivered", "returned"]);
export type ShippingStatus = z.output<typeof ShippingStatus>;

/** What the mail says of a card. */
export const shippingReport = {
  status: ShippingStatus.exclude(["pending"]),
  trackingNumber: text(64).optional(),
  carrier: text(64).optional(),
};

export const Shipping = z.object({
  status: ShippingStatus,
  trackingNumber: z.string().optional(),
  carrier: z.string().optional(),
  dateUpdated: timestamp,
});
