import * as z from "zod";
import { Currency, TransferStatus } from "./enums.ts";
import {
  externalId,
  id,
  integerEnum,
  listQuery,
  memo,
  positiveAmount,
  ranges,
  text,
  timestamp,
} from "./primitives.ts";
import { routesWith } from "./route.ts";

/** An ISO 20022 code of four characters: `AC04`. */
export const reasonCode = z.string().regex(/^[A-Z0-9]{4}$/, "must be four capital letters or digits");

/** What a payout and a pull are between, of how much, and what the other side reads of it. */
export const orderFields = {
  walletId: id("wallet"),
  externalAccountId: id("externalAccount"),
  /** In minor units. */
  amount: positiveAmount,
  /** What the account's holder reads of it. An ISO 11649 reference is sent as one. */
  reference: memo.optional(),
  externalId: externalId.optional(),
};

/** What the views of both have. */
export const paymentFields = {
  transStatus: integerEnum(TransferStatus),
  ...orderFields,
  currency: integerEnum(Currency),
  /** What the bank calls it by: it is on the account statement of its holder. */
  endToEndId: text(35),
  reference: z.string().optional(),
  /** The bank's, of a rejected or returned one. */
  reasonCode: z.string().optional(),
  /** The file that told the bank. */
  fileId: z.string().optional(),
  /** The API user. */
  createdBy: z.string(),
  dateCreated: timestamp,
  dateSent: timestamp.optional(),
  dateCompleted: timestamp.optional(),
  dateReturned: timestamp.optional(),
};

/** What happened to one. */
export function paymentEventView<Status extends z.ZodType>(status: Status) {
  return z.object({
    eventId: id("event"),
    /** The status that it led to. */
    status,
    /** The API user, `bank`, or `platform` where a time was over. */
    by: z.string(),
    reasonCode: z.string().optional(),
    dateCreated: timestamp,
  });
}

export function paymentQuery<const Id extends string, Status extends z.ZodType>(name: Id, status: Status) {
  return listQuery(["dateCreated", name, "amount"], {
    walletId: text(64).optional(),
    externalAccountId: text(64).optional(),
    status: status.optional(),
    externalId: externalId.optional(),
    ...ranges,
  });
}

export const eventQuery = listQuery(["dateCreated"], {});

/** Limits of payouts, and of pulls. Amounts in minor units. */
export const paymentLimits = {
  /** One of more is declined. */
  singleMax: positiveAmount.optional(),
  /** What all of a day of the Program may come to, without those that moved nothing. */
  dailyMax: positiveAmount.optional(),
};

export const paymentRoute = routesWith({ api: "platform", function: "payouts" });
export const paymentSandboxRoute = routesWith({ api: "sandbox", function: "sandbox" });
