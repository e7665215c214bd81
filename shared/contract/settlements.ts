import * as z from "zod";
import { Currency } from "./enums.ts";
import { amount, calendarDate, id, integerEnum, positiveAmount, text, timestamp } from "./primitives.ts";
import { routesWith } from "./route.ts";
import { currencyCode, interchange } from "./settled.ts";
import { transactionDirection } from "./transactions.ts";

/** One request has at most so many. */
export const maximumFileRecords = 1_000;

const FileTransaction = z.strictObject({
  /** As the settlement has it. Without a reference of its own, that is the `transId`. */
  referenceCode: text(64),
  transId: id("transaction").optional(),
  type: transactionDirection,
  amount: positiveAmount,
  /** ISO 4217 numeric. */
  currency: currencyCode,
  interchange,
});

/** Unknown fields are rejected with 422. */
export const SettlementFile = z.strictObject({
  /** The file's own id: a file of a day counts once. */
  fileId: text(64).regex(/^[\x21-\x7e]+$/, "must be printable ASCII without spaces"),
  transactions: z.array(FileTransaction).min(1).max(maximumFileRecords),
});

export const SettlementFileView = z.object({
  date: z.string(),
  fileId: z.string(),
  /** The records that count, of the first file with this id. */
  records: z.int(),
});

/** A record of the network, a posting of the ledger, or what a notification says of it. */
const Stated = z.object({
  type: transactionDirection,
  amount: z.int(),
  /** ISO 4217 numeric. */
  currency: z.string(),
  interchange: z.int().optional(),
});

const named = {
  referenceCode: z.string(),
  transId: id("transaction").optional(),
  /** The file of the network's record. */
  fileId: z.string().optional(),
  /** The notification that differs. */
  transIdSc: id("notification").optional(),
};

const MissingSettlement = z.object({
  /** What lacks it. `webhook`: its ACTTXN was not rendered, or `webhookId` did not take it yet. */
  side: z.enum(["network", "ledger", "journal", "webhook"]),
  ...named,
  webhookId: id("webhook").optional(),
  ...Stated.shape,
  /** Why the platform did not post what the network sent. */
  reason: z.string().optional(),
});

const DoubledSettlement = z.object({
  /** What has it more than once. */
  side: z.enum(["network", "webhook"]),
  ...named,
  ...Stated.shape,
});

const DifferingSettlement = z.object({
  /** What differs from the ledger. */
  side: z.enum(["network", "journal", "webhook"]),
  ...named,
  stated: Stated,
  ledger: Stated,
});

/** Why the specification's rules do not find the hold of a settlement. */
export const MatchingRule = z.enum(["amount", "amount_cross_currency", "days", "one_settlement", "closest"]);
export type MatchingRule = z.output<typeof MatchingRule>;

const MatchingScore = z.object({
  /** Settlements that have released a hold. */
  settlements: z.int(),
  /** What the rules match: with their own hold, and with another one. */
  correct: z.int(),
  wrong: z.int(),
  /** The share of what is matched, and of what should be; absent where there is none. */
  precision: z.number().optional(),
  recall: z.number().optional(),
  /** Settlements that are not matched with their hold, by the rule that prevents it. */
  lost: z.array(
    z.object({
      rule: MatchingRule,
      count: z.int(),
      /** What was settled. */
      amount,
      /** By how much settled and held amounts differ. */
      difference: amount,
    }),
  ),
  /** What was settled and is matched with another hold, in minor units. */
  wrongAmount: amount,
  /** Purchases of Cards with more than 5,000 records in nine days: in none of the others. */
  unscored: z.int(),
});

export const SettlementView = z.object({
  date: z.string(),
  timeZone: z.string(),
  /** The first moment of the day, and the first one after it. */
  start: timestamp,
  end: timestamp,
  currency: integerEnum(Currency),
  /** A report without progress for an hour is begun anew. */
  status: z.enum(["running", "done"]),
  progressPercent: z.int(),
  /** When the report was begun. */
  asOf: timestamp,
  /** What the network's side is: files of this date, or its events. */
  source: z.enum(["files", "events"]),
  files: z.array(z.object({ fileId: z.string(), records: z.int() })),
  /** Purchases and cash less refunds and reversals, in minor units. */
  gross: amount,
  /** What the Program earns with them, in minor units. */
  interchange: amount,
  /** What the Program pays to the network, in minor units: `gross` less `interchange`. */
  net: amount,
  /** Paid by the network for won disputes: negative, in minor units. In none of the others. */
  disputes: amount,
  /** Charged to Cards, less what was given back, in minor units. In neither of the others. */
  fees: amount,
  /** Settled ones that were posted on the day. */
  transactions: z.int(),
  reconciliation: z.object({
    /** Transactions of the day that network, ledger and journal agree on. */
    matched: z.int(),
    /** Records of the day's files that agree with a transaction of another day. */
    otherDay: z.int(),
    missing: z.array(MissingSettlement),
    doubled: z.array(DoubledSettlement),
    differing: z.array(DifferingSettlement),
    /** Differences beyond the first thousand of each kind. */
    unlisted: z.int(),
    /** Whether webhooks were compared: there is an endpoint, and notifications are still kept. */
    webhooksCompared: z.boolean(),
  }),
  /** The specification's inferential rules, compared with what the platform knows. */
  matching: MatchingScore,
});
export type SettlementView = z.output<typeof SettlementView>;
export type Reconciled = SettlementView["reconciliation"];

const date = { parameters: { date: calendarDate } };
const route = routesWith({ api: "platform", function: "settlements" });
const sandboxRoute = routesWith({ api: "sandbox", function: "sandbox" });

export const settlementRoutes = [
  route("GET /settlements/{date}", "read viewSettlement", "View the settlement of a day, reconciled", {
    ...date,
    data: SettlementView,
    formats: ["html"],
  }),
] as const;

export const settlementSandboxRoutes = [
  sandboxRoute(
    "POST /settlements/{date}/file",
    "write feedSettlementFile",
    "Feed the network's settlement of a day, to compare",
    { ...date, body: SettlementFile, data: SettlementFileView },
  ),
] as const;
