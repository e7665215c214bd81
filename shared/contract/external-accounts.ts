import * as z from "zod";
import { BankAccountType, isRoutingNumber } from "./bank-account.ts";
import { Currency } from "./enums.ts";
import { ibanAt } from "./iban.ts";
import { id, integerEnum, listQuery, text, timestamp } from "./primitives.ts";
import { routesWith } from "./route.ts";

/** Only a verified one is paid to or pulled from. An archived one stays so. */
export const ExternalAccountStatus = z.enum([
  "new",
  "pending",
  "verified",
  "failed",
  "suspended",
  "archived",
]);
export type ExternalAccountStatus = z.output<typeof ExternalAccountStatus>;

export const AccountHolderType = z.enum(["person", "business"]);

/** Spaces and case do not matter: it is kept without spaces, in capitals. */
const iban = z
  .string()
  .max(64)
  .overwrite((written) => written.replace(/\s/g, "").toUpperCase())
  .refine(
    (written) => written !== "" && ibanAt(written, 0) === written,
    "must be an IBAN of its country's length, whose check digits are right",
  );

const routingNumber = z
  .string()
  .refine(isRoutingNumber, "must be a routing number of nine digits, whose check digit is right");

const accountNumber = z.string().regex(/^\d{4,17}$/, "must be 4 to 17 digits");

const usFields = ["accountNumber", "routingNumber", "accountType"] as const;

/** Either an IBAN, or all three that an account in the United States has. */
const isOneKind = z.superRefine<Readonly<Record<string, unknown>>>((given, context) => {
  const hasIban = given.iban !== undefined;
  const message = hasIban ? "must not be there beside an iban" : "must be there, where there is no iban";
  for (const name of usFields)
    if ((given[name] !== undefined) === hasIban)
      context.addIssue({ code: "custom", path: [name], message, input: given });
});

export const ExternalAccountCreate = z
  .object({
    holderName: text(70),
    holderType: AccountHolderType,
    iban: iban.optional(),
    accountNumber: accountNumber.optional(),
    routingNumber: routingNumber.optional(),
    accountType: BankAccountType.optional(),
    /** The account is this person's: the names must be the same, in any order and case. */
    cardholderId: id("cardholder").optional(),
    nickname: text(64).optional(),
  })
  .check(isOneKind);
export type ExternalAccountCreate = z.output<typeof ExternalAccountCreate>;

/** What the account's bank says of the holder's name. */
export const NameCheck = z.enum(["match", "close_match", "no_match", "unavailable"]);
export type NameCheck = z.output<typeof NameCheck>;

export const ExternalAccountView = z.object({
  externalAccountId: id("externalAccount"),
  status: ExternalAccountStatus,
  /** Why it has failed; the bank's code, if it is suspended: `AC04`. */
  statusReason: z.string().optional(),
  holderName: z.string(),
  holderType: AccountHolderType,
  /** The last four characters of its IBAN or number. No answer has more. */
  lastFour: z.string().length(4),
  /** Only where there is no IBAN. */
  accountType: BankAccountType.optional(),
  /** The bank's: the first two letters of the IBAN, or `US`. */
  country: z.string().regex(/^[A-Z]{2}$/),
  currency: integerEnum(Currency),
  cardholderId: id("cardholder").optional(),
  nickname: z.string().optional(),
  nameCheck: NameCheck.optional(),
  /** With a close match: how the bank writes the name. */
  suggestedName: z.string().optional(),
  dateCreated: timestamp,
});
export type ExternalAccountView = z.output<typeof ExternalAccountView>;

/** The account's bank says whose it is, or the holder tells two small amounts that came. */
export const VerificationMethod = z.enum(["bank_check", "micro_deposits"]);
export type VerificationMethod = z.output<typeof VerificationMethod>;

const checkFields = {
  /** Whether the account is the holder's. Only a match verifies it. */
  outcome: NameCheck,
  /** With a close match: how the bank writes the name. */
  name: text(140).optional(),
};

/** The account's bank says whose it is. */
export const AccountChecked = z.object({
  /** The sender's own unique id of the event. */
  eventId: text(128),
  programId: id("program"),
  occurredAt: timestamp.optional(),
  kind: z.literal("account_checked"),
  externalAccountId: id("externalAccount"),
  /** The question that it answers. Default: the one that is under way. */
  checkId: text(64).optional(),
  ...checkFields,
});

/** In minor units. */
const microAmount = z.int().min(1).max(49);

const route = routesWith({ api: "platform", function: "external-accounts" });

export const externalAccountRoutes = [
  route(
    "POST /external-accounts",
    "write createExternalAccount",
    "Add a bank account, to pay to and pull from",
    {
      body: ExternalAccountCreate,
      data: ExternalAccountView,
      creates: true,
      hashesItself: true,
      errors: ["NOT_FOUND", "ACCOUNT_EXISTS"],
    },
  ),
  route("GET /external-accounts", "read listExternalAccounts", "List the external accounts", {
    query: listQuery(
      ["dateCreated", "externalAccountId"],
      { status: ExternalAccountStatus.optional(), cardholderId: id("cardholder").optional() },
      { orderBy: "dateCreated", sort: "desc" },
    ),
    items: ExternalAccountView,
  }),
  route(
    "GET /external-accounts/{externalAccountId}",
    "read viewExternalAccount",
    "View an external account",
    { data: ExternalAccountView },
  ),
  route(
    "DELETE /external-accounts/{externalAccountId}",
    "write deleteExternalAccount",
    "Archive an external account for good",
    { data: ExternalAccountView, errors: ["ILLEGAL_TRANSITION"] },
  ),
  route(
    "POST /external-accounts/{externalAccountId}/verification",
    "write startVerification",
    "Verify an external account",
    {
      body: z.object({ method: VerificationMethod }),
      data: ExternalAccountView,
      errors: ["ILLEGAL_TRANSITION", "LIMIT_REACHED"],
    },
  ),
  route(
    "POST /external-accounts/{externalAccountId}/verification/confirm",
    "write confirmVerification",
    "Tell the amounts of the micro-deposits",
    {
      body: z.object({ amounts: z.array(microAmount).length(2) }),
      data: ExternalAccountView,
      errors: ["ILLEGAL_TRANSITION", "AMOUNTS_WRONG"],
    },
  ),
] as const;

const sandboxRoute = routesWith({ api: "sandbox", function: "sandbox" });

export const externalAccountSandboxRoutes = [
  sandboxRoute(
    "POST /external-accounts/{externalAccountId}/check",
    "write checkExternalAccount",
    "Answer the check of an external account, as its bank does",
    { body: z.object(checkFields), data: ExternalAccountView, errors: ["ILLEGAL_TRANSITION"] },
  ),
  sandboxRoute(
    "GET /external-accounts/{externalAccountId}/micro-deposits",
    "read viewMicroDeposits",
    "View the amounts of the micro-deposits, as the account's statement has them",
    { data: z.object({ amounts: z.array(microAmount) }) },
  ),
] as const;
