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
  queryEnum,
  text,
  timestamp,
} from "./primitives.ts";
import { route } from "./route.ts";

const address = z.object({
  line1: text(100),
  line2: text(100).optional(),
  city: text(50),
  state: text(50).optional(),
  postalCode: text(20),
  country,
});

/** A day of the calendar, not before 1900; that it is not in the future is up to the operation, which has a clock. */
const dateOfBirth = z.iso.date().refine((day) => day >= "1900-01-01", "must not be before 1900-01-01");

const personalData = {
  firstName: text(50),
  lastName: text(50),
  dateOfBirth,
  gender: integerEnum(Gender),
  email: z.email().max(254),
  phone: phoneNumber,
  address,
};

export const CardholderCreate = z.object({
  ...personalData,
  nationality: country.optional(),
  altKycEnabled: integerEnum(KycFlow).default(KycFlow.hosted),
  externalId: externalId.optional(),
});
export type CardholderCreate = z.output<typeof CardholderCreate>;

/** What is left out stays. `address` is one field and replaced whole: a line that is left out of it is gone. */
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
  /** Where the Cardholder continues the hosted KYC; only in the answer to a submission of the standard flow. */
  kycUrl: z.url().optional(),
});
export type CardholderView = z.output<typeof CardholderView>;

export const CardholderListItem = z.object({
  cardholderId: id("cardholder"),
  status: integerEnum(CardholderStatus),
  firstName: z.string(),
  lastName: z.string(),
  dateCreated: timestamp,
});

export const cardholderListQuery = listQuery(
  ["cardholderId", "status", "lastName", "dateCreated"],
  { orderBy: "dateCreated", sort: "desc" },
  { status: queryEnum(CardholderStatus).optional() },
);

export const cardholderRoutes = [
  route({
    api: "platform",
    function: "cardholders",
    method: "GET",
    path: "/cardholders",
    summary: "List Cardholders",
    answer: "list",
    query: cardholderListQuery,
    response: CardholderListItem,
    errors: [],
  }),
  route({
    api: "platform",
    function: "cardholders",
    method: "POST",
    path: "/cardholders",
    summary: "Create a Cardholder as Draft",
    answer: "detail",
    body: CardholderCreate,
    response: CardholderView,
    errors: [],
  }),
  route({
    api: "platform",
    function: "cardholders",
    method: "GET",
    path: "/cardholders/{cardholderId}",
    summary: "View a Cardholder",
    answer: "detail",
    response: CardholderView,
    errors: ["NOT_FOUND"],
  }),
  route({
    api: "platform",
    function: "cardholders",
    method: "PUT",
    path: "/cardholders/{cardholderId}",
    summary: "Change a Cardholder",
    answer: "detail",
    body: CardholderUpdate,
    response: CardholderView,
    errors: ["NOT_FOUND", "LOCKED_FIELDS", "ILLEGAL_TRANSITION"],
  }),
  route({
    api: "platform",
    function: "cardholders",
    method: "DELETE",
    path: "/cardholders/{cardholderId}",
    summary: "Delete a Cardholder",
    answer: "detail",
    response: CardholderView,
    errors: ["NOT_FOUND", "CARDS_NOT_CLOSED", "ILLEGAL_TRANSITION"],
  }),
  route({
    api: "platform",
    function: "cardholders",
    method: "POST",
    path: "/cardholders/{cardholderId}/submit",
    summary: "Submit a Cardholder for compliance review",
    answer: "detail",
    body: CardholderSubmit,
    response: CardholderView,
    errors: ["NOT_FOUND", "ILLEGAL_TRANSITION"],
  }),
  route({
    api: "platform",
    function: "cardholders",
    method: "POST",
    path: "/cardholders/{cardholderId}/register-wallet-address",
    summary: "Register a wallet address (deprecated: every Card has deposit addresses)",
    answer: "detail",
    response: DeprecatedAnswer,
    errors: ["NOT_FOUND"],
    deprecated: "2026-01-01",
  }),
] as const;
