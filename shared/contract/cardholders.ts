import * as z from "zod";
import { CardholderStatus, Gender, KycFlow } from "./enums.ts";
import {
  country,
  DeprecatedAnswer,
  externalId,
  id,
  integerEnum,
  listQuery,
  phoneNumber,
  prose,
  queryEnum,
  text,
  timestamp,
} from "./primitives.ts";
import { routesOf } from "./route.ts";

export const addressFields = {
  line1: prose(100),
  line2: prose(100).optional(),
  city: prose(50),
  state: prose(50).optional(),
  postalCode: text(20),
  country,
};

/** The operation rejects future dates, because it has a clock. */
const dateOfBirth = z.iso.date().refine((day) => day >= "1900-01-01", "must not be before 1900-01-01");

const personalData = {
  firstName: prose(50),
  lastName: prose(50),
  dateOfBirth,
  gender: integerEnum(Gender),
  email: z.email().max(254),
  phone: phoneNumber,
  address: z.object(addressFields),
};

export const CardholderCreate = z.object({
  ...personalData,
  nationality: country.optional(),
  altKycEnabled: integerEnum(KycFlow).default(KycFlow.hosted),
  externalId: externalId.optional(),
});
export type CardholderCreate = z.output<typeof CardholderCreate>;

/** Omitted fields stay unchanged. `address` is replaced as a whole. */
export const CardholderUpdate = z
  .object({ ...personalData, nationality: country, altKycEnabled: integerEnum(KycFlow), externalId })
  .partial();
export type CardholderUpdate = z.output<typeof CardholderUpdate>;

export const CardholderSubmit = z.object({ kycToken: text(512).optional() });

export const CardholderView = z.object({
  cardholderId: id("cardholder"),
  status: integerEnum(CardholderStatus),
  altKycEnabled: integerEnum(KycFlow),
  externalId: externalId.optional(),
  contact: z.object({ ...personalData, nationality: country.optional() }),
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
  firstName: z.string(),
  lastName: z.string(),
  dateCreated: timestamp,
});

export const cardholderListQuery = listQuery(["cardholderId", "status", "lastName", "dateCreated"], {
  status: queryEnum(CardholderStatus).optional(),
});

const route = routesOf({ api: "platform", function: "cardholders" });

export const cardholderRoutes = [
  route("GET /cardholders", "List Cardholders", { query: cardholderListQuery, items: CardholderListItem }),
  route("POST /cardholders", "Create a Cardholder in the status Draft", {
    body: CardholderCreate,
    data: CardholderView,
  }),
  route("GET /cardholders/{cardholderId}", "View a Cardholder", { data: CardholderView }),
  route("PUT /cardholders/{cardholderId}", "Change a Cardholder", {
    body: CardholderUpdate,
    data: CardholderView,
    errors: ["LOCKED_FIELDS", "ILLEGAL_TRANSITION"],
  }),
  route("DELETE /cardholders/{cardholderId}", "Delete a Cardholder", {
    data: CardholderView,
    errors: ["CARDS_NOT_CLOSED", "ILLEGAL_TRANSITION"],
  }),
  route("POST /cardholders/{cardholderId}/submit", "Submit a Cardholder for compliance review", {
    body: CardholderSubmit,
    data: CardholderView,
    errors: ["ILLEGAL_TRANSITION"],
  }),
  route(
    "POST /cardholders/{cardholderId}/register-wallet-address",
    "Register a wallet address (deprecated: every Card has deposit addresses)",
    { data: DeprecatedAnswer, deprecated: "2026-01-01" },
  ),
] as const;
