import * as z from "zod";
import { shippingAddress } from "./cards.ts";
import { PlasticReason, PlasticState, ReplacementReason } from "./enums.ts";
import { id, listQuery, timestamp } from "./primitives.ts";
import { routesWith } from "./route.ts";
import { Shipping } from "./shipping.ts";

/** A Card is the account. A plastic is one number of it, with one expiry and code. */

export const PlasticView = z.object({
  plasticId: id("plastic"),
  cardId: id("card"),
  /** 1 is the one that the Card was issued with. */
  sequence: z.int(),
  /** Why it was made. */
  reason: PlasticReason,
  /** Purchases with another than the `active` one are declined. */
  state: PlasticState,
  /** The first six and last four digits. */
  maskedCardNumber: z.string(),
  expiryMonth: z.int().min(1).max(12),
  expiryYear: z.int(),
  /** Whether its number has a PIN. A damaged or renewed plastic keeps number and PIN. */
  pinSet: z.boolean(),
  /** Where a physical one is on its way. Others have none. */
  shipping: Shipping.optional(),
  dateCreated: timestamp,
  /** When the older one ends, whether this one is activated or not. */
  activateBy: timestamp.optional(),
  dateActivated: timestamp.optional(),
  /** When it was stopped, replaced or closed. */
  dateEnded: timestamp.optional(),
});
export type PlasticView = z.output<typeof PlasticView>;

export const CardReplacement = z.object({
  /** Lost and stolen stop the number at once. Damaged, it lives on until the new one is active. */
  reason: ReplacementReason,
  /** Which plastic it is. Default: the active one, or a first one that was never activated. */
  plasticId: id("plastic").optional(),
  /** Where the new one is sent. Default: where the Card was sent. */
  shippingAddress: shippingAddress.optional(),
});

export const CardRenewal = z.object({
  /** Where the new one is sent. Default: where the Card was sent. */
  shippingAddress: shippingAddress.optional(),
});

const route = routesWith({ api: "platform", function: "cards" });
const errors = ["ILLEGAL_TRANSITION", "CARD_BLOCKED", "REPLACEMENT_PENDING", "LIMIT_REACHED"] as const;

export const plasticRoutes = [
  route("GET /cards/{cardId}/plastics", "read listPlastics", "List a Card's plastics", {
    query: listQuery(["sequence"], {}, { orderBy: "sequence", sort: "asc" }),
    items: PlasticView,
  }),
  route("POST /cards/{cardId}/replace", "write replaceCard", "Replace a lost, stolen or damaged plastic", {
    body: CardReplacement,
    data: PlasticView,
    errors: [...errors],
    movesFunds: true,
  }),
  route("POST /cards/{cardId}/renew", "write renewCard", "Make a plastic with a later expiry", {
    body: CardRenewal,
    data: PlasticView,
    errors: [...errors],
    movesFunds: true,
  }),
] as const;
