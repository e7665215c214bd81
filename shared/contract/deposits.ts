import * as z from "zod";
import { Currency, DepositStatus } from "./enums.ts";
import { amount, id, integerEnum, listQuery, memo, queryEnum, text, timestamp } from "./primitives.ts";
import { routesOf } from "./route.ts";

export const DepositChannel = z.enum(["bank", "crypto"]);

export const DepositView = z.object({
  depositId: z.string(),
  /** A deposit is in a Wallet or on a Card. */
  walletId: z.string().optional(),
  cardId: id("card").optional(),
  channel: DepositChannel,
  amount,
  currency: integerEnum(Currency),
  /** 0 Pending, 1 Cleared, 2 Reversed (before it cleared), 3 Returned (after it had cleared). */
  status: integerEnum(DepositStatus),
  reference: memo.optional(),
  dateCreated: timestamp,
  /** When it was cleared or reversed; a return does not change it. */
  dateSettled: timestamp.optional(),
});
export type DepositView = z.output<typeof DepositView>;

export const depositListQuery = listQuery(
  ["dateCreated", "depositId", "amount", "status"],
  { orderBy: "dateCreated", sort: "desc" },
  {
    walletId: text(64).optional(),
    cardId: text(64).optional(),
    status: queryEnum(DepositStatus).optional(),
    channel: DepositChannel.optional(),
  },
);

const route = routesOf({ api: "platform", function: "wallets" });

/** Deposits of Wallets and Cards, served by the wallets function. */
export const depositRoutes = [
  route("GET /deposits", "List deposits in Wallets and on Cards", {
    query: depositListQuery,
    items: DepositView,
  }),
  route("GET /deposits/{depositId}", "View a deposit", { data: DepositView, errors: ["NOT_FOUND"] }),
] as const;
