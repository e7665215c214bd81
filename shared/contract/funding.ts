import * as z from "zod";
import { spendAmount, spendWindow } from "./controls.ts";
import { amount, besideOtherFaults, id, text } from "./primitives.ts";
import { routesWith } from "./route.ts";

/** The most that a Card spends of its Wallet in each window. */
export const SpendLimit = z.strictObject({
  /** At most this amount, in minor units of the Card's currency. */
  amount: spendAmount,
  window: spendWindow,
});
export type SpendLimit = z.output<typeof SpendLimit>;

interface Limited {
  readonly fundingWalletId?: string | null | undefined;
  readonly spendLimit?: object | null | undefined;
}

/** What a Card has of its own is limited by spend controls. */
export function withLimitRule<S extends z.ZodObject>(schema: S): S {
  const isOfWallet = ({ fundingWalletId, spendLimit }: Limited) =>
    typeof fundingWalletId === "string" || !spendLimit;
  return schema.refine(isOfWallet as never, {
    path: ["spendLimit"],
    message: "must be absent where the Card has money of its own",
    when: besideOtherFaults,
  });
}

export const CardFundingSet = withLimitRule(
  z.object({
    /** Null: it has money of its own. */
    fundingWalletId: text(64).nullable(),
    /** Null removes it. Absent: it stays, as long as a Wallet pays. */
    spendLimit: SpendLimit.nullable().optional(),
    /**
     * Moves what is available on the Card to the Wallet, or pays from it what the Card owes. What
     * is pending on the Card moves as it clears. Without it, there must be none.
     */
    moveBalance: z.boolean().optional(),
  }),
);
export type CardFundingSet = z.output<typeof CardFundingSet>;

export const CardFundingView = z.object({
  /** The Wallet that it spends from; null where it has money of its own. */
  fundingWalletId: id("wallet").nullable(),
  spendLimit: SpendLimit.optional(),
  /** Minor units: what it may still spend. Never below 0. */
  spendable: amount,
  /** Minor units: its open holds, wherever they were placed. */
  held: amount,
  /** Minor units: what its limit has counted in the present window, open holds included. */
  used: amount.optional(),
  /** Minor units: what its limit leaves in it. Never below 0. */
  remaining: amount.optional(),
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
    errors: ["ILLEGAL_TRANSITION", "CARD_BLOCKED", "CARD_NOT_EMPTY"],
  }),
] as const;
