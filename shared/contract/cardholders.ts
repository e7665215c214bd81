import * as z from "zod";
import { addressFields, withPostalCode } from "./addresses.ts";
import { CardholderStatus, Gender, KycFlow } from "./enums.ts";
import { mailAddress } from "./mail-address.ts";
import {
  besideOtherFaults,
  country,
  DeprecatedAnswer,
  externalId,
  id,
  integerEnum,
  labelChanges,
  labels,
  listQuery,
  phoneNumber,
  prose,
  queryEnum,
  text,
  timestamp,
} from "./primitives.ts";
import { routesWith } from "./route.ts";

/** The operation rejects future dates, because it has a clock. */
const dateOfBirth = z.iso
  .date({ abort: true })
  .refine((day) => day >= "1900-01-01", "must not be before 1900-01-01");

const name = prose(100);

const personalData = {
  dateOfBirth,
  gender: integerEnum(Gender),
  email: mailAddress,
  phone: phoneNumber,
  address: withPostalCode(z.object(addressFields)),
};

/** Who has one legal name alone has it as `lastName` or as `firstName`. */
export const CardholderCreate = z
  .object({
    firstName: name.optional(),
    lastName: name.optional(),
    ...personalData,
    nationality: country.optional(),
    altKycEnabled: integerEnum(KycFlow).default(KycFlow.hosted),
    ...labels,
  })
  .refine(({ firstName, lastName }) => firstName !== undefined || lastName !== undefined, {
    path: ["lastName"],
    message: "is required, unless firstName is the only legal name",
    when: besideOtherFaults,
  });
export type CardholderCreate = z.output<typeof CardholderCreate>;

/**
 * Omitted fields stay unchanged. `address` is replaced as a whole. `null` removes a field; one name
 * stays.
 */
export const CardholderUpdate = z
  .object({
    firstName: name.nullable(),
    lastName: name.nullable(),
    ...personalData,
    nationality: country.nullable(),
    altKycEnabled: integerEnum(KycFlow),
    ...labelChanges,
  })
  .partial()
  .refine(({ firstName, lastName }) => firstName !== null || lastName !== null, {
    message: "must leave one of firstName and lastName",
    when: besideOtherFaults,
  });
export type CardholderUpdate = z.output<typeof CardholderUpdate>;

export const CardholderSubmit = z.object({ kycToken: text(512).optional() });

export const CardholderView = z.object({
  cardholderId: id("cardholder"),
  status: integerEnum(CardholderStatus),
  altKycEnabled: integerEnum(KycFlow),
  ...labels,
  contact: z.object({
    firstName: name.optional(),
    lastName: name.optional(),
    ...personalData,
    nationality: country.optional(),
  }),
  dateCreated: timestamp,
  /** Where the Cardholder continues the hosted KYC. While it is under review, once it is known. */
  kycUrl: z.url().optional(),
  /** What the compliance provider asks the Cardholder for. */
  kycRequirement: z.literal("documents").optional(),
});
export type CardholderView = z.output<typeof CardholderView>;

export const CardholderListItem = z.object({
  cardholderId: id("cardholder"),
  status: integerEnum(CardholderStatus),
  firstName: z.string().optional(),
  lastName: z.string().optional(),
  dateCreated: timestamp,
});

export const cardholderListQuery = listQuery(["cardholderId", "status", "lastName", "dateCreated"], {
  status: queryEnum(CardholderStatus).optional(),
  externalId: externalId.optional(),
  /** The whole address, whatever its case. */
  email: text(254).optional(),
  phone: text(16).optional(),
  /** How the last name, the first name, or both begin, whatever their case and accents. */
  name: text(200).optional(),
});

const route = routesWith({ api: "platform", function: "cardholders" });

export const cardholderRoutes = [
  route("GET /cardholders", "read listCardholders", "List Cardholders", {
    query: cardholderListQuery,
    items: CardholderListItem,
  }),
  route("POST /cardholders", "write createCardholder", "Create a Cardholder in the status Draft", {
    creates: true,
    body: CardholderCreate,
    data: CardholderView,
  }),
  route("GET /cardholders/{cardholderId}", "read viewCardholder", "View a Cardholder", {
    data: CardholderView,
  }),
  route("PUT /cardholders/{cardholderId}", "write updateCardholder", "Change a Cardholder", {
    body: CardholderUpdate,
    data: CardholderView,
    errors: ["LOCKED_FIELDS", "ILLEGAL_TRANSITION"],
  }),
  route("DELETE /cardholders/{cardholderId}", "write deleteCardholder", "Delete a Cardholder", {
    data: CardholderView,
    errors: ["CARDS_NOT_CLOSED", "ILLEGAL_TRANSITION"],
  }),
  route(
    "POST /cardholders/{cardholderId}/submit",
    "write submitCardholder",
    "Submit a Cardholder for compliance review",
    { body: CardholderSubmit, data: CardholderView, errors: ["ILLEGAL_TRANSITION"] },
  ),
  route(
    "POST /cardholders/{cardholderId}/register-wallet-address",
    "write registerWalletAddress",
    "Register a wallet address (deprecated: every Card has deposit addresses)",
    { data: DeprecatedAnswer, deprecated: "2026-01-01" },
  ),
] as const;
