import * as z from "zod";
import { amount, id, maximumAmountMinor, positiveAmount, text, timestamp } from "./primitives.ts";
import { routesWith } from "./route.ts";

/** How a Card with a balance of its own is topped up from a Wallet by itself. */
export const TopUpSet = z.object({
  walletId: text(64),
  /** In minor units. It is topped up while its `availableBalance` is below. */
  threshold: z.int().min(0).max(maximumAmountMinor),
  /** In minor units: it moves as many times, at once, as bring the Card to the threshold. */
  amount: positiveAmount,
  /** In minor units: no more moves on one day of the Program. */
  dailyMax: positiveAmount.optional(),
  active: z.boolean().default(true),
});
export type TopUpSet = z.output<typeof TopUpSet>;

export const TopUpView = z.object({
  cardId: id("card"),
  walletId: id("wallet"),
  threshold: amount,
  amount,
  dailyMax: amount.optional(),
  active: z.boolean(),
  /** In minor units: what has moved on this day of the Program. */
  usedToday: amount,
  /** When the Wallet lacked the money last. It is tried again when the Wallet has it. */
  lackedAt: timestamp.optional(),
  dateCreated: timestamp,
  dateChanged: timestamp,
});
export type TopUpView = z.output<typeof TopUpView>;

const route = routesWith({ api: "platform", function: "cards" });

export const topUpRoutes = [
  route("PUT /cards/{cardId}/top-up", "money putTopUp", "Top a Card up by itself from a Wallet", {
    body: TopUpSet,
    data: TopUpView,
    errors: ["ILLEGAL_TRANSITION", "CARD_FUNDED_BY_WALLET"],
  }),
  route("GET /cards/{cardId}/top-up", "read viewTopUp", "View how a Card is topped up by itself", {
    data: TopUpView,
  }),
  route("DELETE /cards/{cardId}/top-up", "write deleteTopUp", "Top a Card up by itself no more", {
    data: z.object({ cardId: id("card") }),
  }),
] as const;
