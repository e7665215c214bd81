import * as z from "zod";
import { id, listQuery, text, timestamp } from "./primitives.ts";
import { routesWith } from "./route.ts";

/** What merchants that keep a Card's number have to know. No number is in it: the vault hashes. */

export const AccountUpdateKind = z.enum(["number", "expiry", "closed"]);

const hash = z.string().regex(/^[0-9a-f]{64}$/);

export const AccountUpdateView = z.object({
  updateId: id("accountUpdate"),
  cardId: id("card"),
  /** Another number, the same with a later expiry, or none any more. */
  kind: AccountUpdateKind,
  /** HMAC-SHA-256 of the number's digits, in hexadecimal. The key never leaves the vault. */
  oldNumberHash: hash,
  /** In place of the old one. Only of the kind `number`. */
  newNumberHash: hash.optional(),
  /** From now on. Absent of a closed Card. */
  expiryMonth: z.int().min(1).max(12).optional(),
  expiryYear: z.int().optional(),
  dateCreated: timestamp,
});
export type AccountUpdateView = z.output<typeof AccountUpdateView>;

const route = routesWith({ api: "platform", function: "cards" });

export const accountUpdateRoutes = [
  route(
    "GET /account-updates",
    "read listAccountUpdates",
    "List what merchants that keep card numbers have to know",
    {
      query: listQuery(["dateCreated"], {
        cardId: text(64).optional(),
        kind: AccountUpdateKind.optional(),
      }),
      items: AccountUpdateView,
    },
  ),
] as const;
