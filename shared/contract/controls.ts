import * as z from "zod";
import { EntryMode } from "./card-network.ts";
import {
  amount,
  country,
  externalId,
  id,
  labelChanges,
  labels,
  listQuery,
  maximumAmountMinor,
  mccOrRange,
  prose,
  text,
  timestamp,
} from "./primitives.ts";
import { routesWith } from "./route.ts";
import {
  CheckResult,
  EntryCapability,
  StoredCredential,
  ThreeDSResult,
  TokenWallet,
} from "./verification.ts";

/** The most active controls of one Card, with those of its Cardholder and its Program. */
export const maximumControls = 10;

/** Values that a rule can name. */
const maximumValues = 100;

/** Merchant category codes of cash at a counter and at a machine. */
export const cashMccs: readonly string[] = ["6010", "6011"];

/** Either what is allowed, and nothing else, or what is blocked. */
function allowOrBlock<S extends z.ZodType>(value: S) {
  const values = z.array(value).min(1).max(maximumValues).optional();
  return z
    .strictObject({ allow: values, block: values })
    .refine(
      ({ allow, block }) => (allow === undefined) !== (block === undefined),
      "must have either allow or block",
    );
}

export const MccRule = allowOrBlock(mccOrRange);
export const CountryRule = allowOrBlock(country);
export const MerchantIdRule = allowOrBlock(text(50));
export const EntryModeRule = allowOrBlock(EntryMode);
/** `none` is a purchase without a token. */
export const WalletRule = allowOrBlock(z.enum([...TokenWallet.options, "none"]));
export const CurrencyRule = allowOrBlock(z.string().regex(/^\d{3}$/, "must be an ISO 4217 numeric code"));

export const EntryCapabilityRule = allowOrBlock(EntryCapability);
export const StoredCredentialRule = allowOrBlock(StoredCredential);
export const CheckRule = allowOrBlock(CheckResult);
export const ThreeDSRule = allowOrBlock(ThreeDSResult);

/** What checks may come to. A check that was not made is `not_present`. */
export const VerificationRules = z.strictObject({
  addressLine: CheckRule.optional(),
  postalCode: CheckRule.optional(),
  /** The security code. */
  cvc: CheckRule.optional(),
  expiry: CheckRule.optional(),
  pin: CheckRule.optional(),
  threeDS: ThreeDSRule.optional(),
});

export const MerchantRules = z.strictObject({
  /** ISO 18245 merchant category codes, and ranges of them: `5541`, `5500-5599`. */
  mcc: MccRule.optional(),
  /** The merchant's country. ISO 3166-1 alpha-2. */
  country: CountryRule.optional(),
  /** The network's ids of merchants. */
  merchantId: MerchantIdRule.optional(),
});

const calendarWindow = z.enum(["day", "week", "month", "year"]);

const duration = /^P(?:(\d{1,2})D)?(?:T(?=\d)(?:(\d{1,4})H)?(?:(\d{1,6})M)?)?$/;
const [minimumMinutes, maximumMinutes] = [10, 90 * 1440];

/** Undefined for what is no duration in days, hours and minutes. */
export function durationMinutes(iso: string): number | undefined {
  const match = duration.exec(iso);
  if (!match || iso === "P") return undefined;
  const [days = 0, hours = 0, minutes = 0] = match.slice(1).map((digits) => Number(digits ?? 0));
  return days * 1440 + hours * 60 + minutes;
}

const rollingWindow = z.string().refine((iso) => {
  const minutes = durationMinutes(iso);
  return minutes !== undefined && minutes >= minimumMinutes && minutes <= maximumMinutes;
}, "must be authorization, day, week, month, year, lifetime, or a duration from PT10M to P90D");

const checkVelocity = z.superRefine<{ amount?: unknown; count?: unknown; window: string }>(
  (given, context) => {
    const { amount, count, window } = given;
    const add = (path: string[], message: string) =>
      context.addIssue({ code: "custom", path, message, input: given });
    if (amount === undefined && count === undefined) add([], "must have amount or count");
    if (count !== undefined && window === "authorization") {
      add(["count"], "must be absent where the window is one authorization");
    }
  },
);

/**
 * `authorization`: each one alone. `day`, `week`, `month`, `year`: in the Program's time zone;
 * weeks begin on Monday. `lifetime`: since the activation. A duration, `PT10M` to `P90D`: that
 * long back.
 */
export const spendWindow = z.union([z.literal(["authorization", "lifetime"]), calendarWindow, rollingWindow]);

/** In minor units of the Card's currency. */
export const spendAmount = z.int().min(0).max(maximumAmountMinor);

/** The most in each window: `amount`, `count`, or both. */
export const Velocity = z
  .strictObject({
    /** At most this amount, in minor units of the Card's currency. */
    amount: spendAmount.optional(),
    /** At most so many authorizations. */
    count: z.int().min(0).max(1_000_000).optional(),
    /**
     * `authorization`: each one alone. `day`, `week`, `month`, `year`: in the Program's time zone;
     * weeks begin on Monday. `lifetime`: since the activation. A duration, `PT10M` to `P90D`: that
     * long back.
     */
    window: spendWindow,
  })
  .check(checkVelocity);
export type Velocity = z.output<typeof Velocity>;

/** All rules of a control apply together. */
const rules = {
  velocity: Velocity.optional(),
  merchants: MerchantRules.optional(),
  entryModes: EntryModeRule.optional(),
  /** The digital wallets whose tokens may pay. */
  wallets: WalletRule.optional(),
  verification: VerificationRules.optional(),
  /** What the terminal can read. One that did not say it is `unknown`. */
  entryCapabilities: EntryCapabilityRule.optional(),
  /** How the merchant uses a card that it keeps. */
  storedCredential: StoredCredentialRule.optional(),
  /** `block` declines ATM withdrawals, and authorizations of the merchant categories 6010, 6011. */
  cash: z.enum(["allow", "block"]).optional(),
  /** What the merchant bills in. */
  currencies: CurrencyRule.optional(),
  /** Declines everything after the first approval. Increments of it are not declined. */
  singleUse: z.boolean().optional(),
  /** Allows only the merchant of the first approval. */
  merchantLock: z.boolean().optional(),
  /** Online and typed purchases need an authentication by 3-D Secure, or the attempt of one. */
  authentication: z.literal("required").optional(),
};
const Rules = z.strictObject(rules);
export type ControlRules = z.output<typeof Rules>;

/** What is absent or empty declines nothing, nor do `false` and `cash: "allow"`. */
function declines(rule: unknown): boolean {
  if (typeof rule !== "object" || Array.isArray(rule))
    return !["allow", false, undefined].includes(rule as never);
  return Object.values(rule ?? {}).some(declines);
}

type Fault = readonly [path: readonly PropertyKey[], message: string];

/** What no authorization could satisfy, or what no authorization could break. */
function* contradictions(given: ControlRules): Generator<Fault> {
  if (!Object.keys(rules).some((name) => declines(given[name as keyof ControlRules])))
    yield [[], "must have at least one rule"];
  const { cash, merchants = {} } = given;
  const allowedMccs = merchants.mcc?.allow;
  if (cash === "block" && allowedMccs?.every((code) => [...cashMccs, cashMccs.join("-")].includes(code))) {
    yield [["cash"], "must not block all that merchants.mcc allows"];
  }
}

const checkRules = z.superRefine<ControlRules>((given, context) => {
  for (const [path, message] of contradictions(given)) {
    context.addIssue({ code: "custom", path: [...path], message, input: given });
  }
});

/** `draft`: declines nothing and counts nothing. */
export const ControlState = z.enum(["draft", "active"]);

const named = { name: prose(100), ...rules };

/** What a new control has beside whom it applies to. */
const created = { ...named, ...labels, state: ControlState.default("active") };

/** Unknown fields are rejected with 422: a misspelled rule would be none. */
export const ControlCreate = z
  .strictObject({
    ...created,
    /** The Card or the Cardholder it applies to. Without both: every Card of the Program. */
    cardId: id("card").optional(),
    cardholderId: id("cardholder").optional(),
  })
  .refine(({ cardId, cardholderId }) => cardId === undefined || cardholderId === undefined, {
    path: ["cardholderId"],
    message: "must be absent where cardId is given",
  })
  .check(checkRules);

/** A control of a Card that is issued with it. Unknown fields are rejected with 422. */
export const CardControl = z.strictObject(created).check(checkRules);
export type CardControl = z.output<typeof CardControl>;

/**
 * Replaces name and rules: what is omitted is removed. `externalId` and `metadata` stay then.
 * Unknown fields are rejected with 422.
 */
export const ControlUpdate = z.strictObject({ ...named, ...labelChanges }).check(checkRules);

export const ControlView = z.object({
  controlId: id("control"),
  name: z.string(),
  cardId: id("card").optional(),
  cardholderId: id("cardholder").optional(),
  state: ControlState,
  ...rules,
  ...labels,
  dateCreated: timestamp,
  /** It counts what is decided from then on. */
  dateActivated: timestamp.optional(),
});
export type ControlView = z.output<typeof ControlView>;

/** Without metadata. */
export const ControlListItem = ControlView.omit({ metadata: true });

const Used = z.object({
  /** In minor units. */
  amount,
  /** Authorizations, ATM withdrawals and force posts. */
  count: z.int(),
});

export const ControlWindow = z.object({
  /** The first moment that counts. */
  start: timestamp,
  /** The first moment that counts no longer. Absent for a lifetime. */
  end: timestamp.optional(),
});

export const ControlUsageView = z.object({
  controlId: id("control"),
  /** Absent for a control that counts nothing. */
  window: ControlWindow.optional(),
  /** What this window has counted. */
  used: Used,
  /** What the control's velocity allows. */
  limit: Used.partial(),
  /** How many transactions make it up, with those of which nothing counts any more. */
  transactions: z.int(),
});

/** A transaction of a control's window. */
export const CountedTransactionView = z.object({
  transId: id("transaction"),
  cardId: id("card"),
  /** What it counts for: without what was given back since. */
  amount,
  count: z.int(),
  dateCreated: timestamp,
});

const route = routesWith({ api: "platform", function: "controls" });

export const controlRoutes = [
  route("POST /controls", "write createControl", "Create a spend control", {
    creates: true,
    body: ControlCreate,
    data: ControlView,
    errors: ["NOT_FOUND", "LIMIT_REACHED"],
  }),
  route("GET /controls", "read listControls", "List spend controls", {
    query: listQuery(["dateCreated", "controlId", "name"], {
      cardId: text(64).optional(),
      cardholderId: text(64).optional(),
      state: ControlState.optional(),
      externalId: externalId.optional(),
      /** How the name begins, whatever its case and accents. */
      name: text(100).optional(),
    }),
    items: ControlListItem,
  }),
  route("GET /controls/{controlId}", "read viewControl", "View a spend control", { data: ControlView }),
  route(
    "PUT /controls/{controlId}",
    "write replaceControl",
    "Replace the name and the rules of a spend control",
    { body: ControlUpdate, data: ControlView },
  ),
  route("DELETE /controls/{controlId}", "write deleteControl", "Delete a spend control", {
    data: z.object({ controlId: id("control") }),
  }),
  route(
    "GET /controls/{controlId}/usage",
    "read viewUsage",
    "View what a spend control has counted in its window",
    { data: ControlUsageView },
  ),
  route(
    "GET /controls/{controlId}/transactions",
    "read listCounted",
    "List the transactions that make up the usage",
    { query: listQuery(["dateCreated", "transId"], {}), items: CountedTransactionView },
  ),
  route(
    "POST /controls/{controlId}/activate",
    "write activateControl",
    "Activate a draft of a spend control",
    { data: ControlView, errors: ["LIMIT_REACHED", "ILLEGAL_TRANSITION"] },
  ),
] as const;
