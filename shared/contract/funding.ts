import * as z from "zod";
import { amount, id, text } from "./primitives.ts";
import { routesWith } from "./route.ts";

export const CardFundingSet = z.object({
  /** Null: it has money of its own. */
  fundingWalletId: text(64).nullable(),
  /** Moves what is available on the Card to the Wallet. Without it, there must be none. */
  moveBalance: z.boolean().optional(),
});
export type CardFundingSet = z.output<typeof CardFundingSet>;

export const CardFundingView = z.object({
  /** The Wallet that it spends from; null where it has money of its own. */
  fundingWalletId: id("wallet").nullable(),
  /** Minor units: what it may still spend. Never below 0. */
  spendable: amount,
  /** Minor units: its open holds, wherever they were placed. */
  held: amount,
});
export type CardFundingView = z.output<typeof CardFundingView>;

const route = routesWith({ api: "platform", function: "cards" });

export const fundingRoutes = [
  route("GET /cards/{cardId}/funding", "read viewFunding", "View what a Card spends from", {
    data: CardFundingView,
  }),
  route("PUT /cards/{cardId}/funding", "money putFunding", "Choose what a Card spends from", {
    body: CardFundingSet,
    data: CardFundingView,
    errors: ["ILLEGAL_TRANSITION", "CARD_NOT_EMPTY"],
  }),
] as const;
