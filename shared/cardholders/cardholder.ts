import * as z from "zod";
import type { CardholderCreate, CardholderView } from "../contract/cardholders.ts";
import { CardholderStatus, Gender, KycFlow } from "../contract/enums.ts";
import { StoredAddress } from "../contract/outside.ts";
import { integerEnum } from "../contract/primitives.ts";
import { defineList } from "../lists/kind.ts";
import { nameKey } from "../lists/name-key.ts";
import { searchKey } from "../lists/search-key.ts";
import { type Labelling, labelFields, newLabels } from "../platform/labels.ts";
import { pick } from "../platform/pick.ts";
import { sha256 } from "../platform/sha256.ts";
import { defineEntity } from "../platform/table/entity.ts";

/**
 * Personal data was validated when written: a later contract rule must not make stored Cardholders
 * unreadable.
 */
export const Cardholder = z.object({
  /** cardholderId. */
  entityId: z.string(),
  status: integerEnum(CardholderStatus),
  /** Cards that are not Closed; counted in the transactions that issue, close and decline them. */
  openCards: z.int(),
  createdAt: z.string(),
  /** When `PUT` changed its metadata, which is an item of its own: receivers are told. */
  metadataAt: z.string().optional(),
  /** Since when the platform has blocked all its Cards: ISO 8601 UTC. */
  blockedAt: z.string().optional(),
  /** Names the submission to the compliance provider while it is under way. */
  kycSession: z.string().optional(),
  /**
   * The alternative provider's token. A credential: deleted after the review, never answered or
   * logged. Only the request to the provider has it.
   */
  kycToken: z.string().optional(),
  /** Which page the hosted flow continues on, if the provider does not say. */
  kycPage: z.enum(["local", "hosted"]).optional(),
  /** Where the hosted flow continues, as the provider answered. */
  kycUrl: z.string().optional(),
  /** When the provider answered the request. */
  kycAskedAt: z.string().optional(),
  /** When the review ends without an outcome. */
  kycEndsAt: z.string().optional(),
  /** What the provider asks the applicant for. */
  kycRequirement: z.literal("documents").optional(),
  /** At least one of the two names. */
  firstName: z.string().optional(),
  lastName: z.string().optional(),
  dateOfBirth: z.string(),
  gender: integerEnum(Gender),
  email: z.string(),
  phone: z.string(),
  address: StoredAddress,
  nationality: z.string().optional(),
  altKycEnabled: integerEnum(KycFlow),
  ...labelFields,
});
export type Cardholder = z.output<typeof Cardholder>;

export const cardholders = defineEntity({
  name: "cardholder",
  schema: Cardholder,
  saysWhenChanged: true,
  key: (programId: string, cardholderId: string) => ({
    pk: `${programId}#${cardholderId}`,
    sk: "CARDHOLDER",
  }),
});

export const cardholderList = defineList({
  name: "cardholders",
  filters: ["status"],
  orders: ["lastName", "email", "phone", "soughtLastName", "soughtName"],
  sortKeys: {
    lastName: (record) => nameKey(familyName(record)),
    email: ({ email }) => emailKey(String(email)),
    phone: ({ phone }) => phoneKey(String(phone)),
    soughtLastName: ({ lastName }) => searchKey(String(lastName ?? "")),
    soughtName: ({ firstName, lastName }) => searchKey(`${firstName ?? ""} ${lastName ?? ""}`),
  },
  recordKey: ({ programId }, cardholderId) => cardholders.key(programId, cardholderId),
});

/** By which an email is found: lists have no personal data but names. Blind for case. */
export function emailKey(email: string): string {
  return sha256(`email ${email.toLowerCase()}`).slice(0, 16);
}

export function phoneKey(phone: string): string {
  return sha256(`phone ${phone}`).slice(0, 16);
}

type Names = Pick<Cardholder, "firstName" | "lastName">;

/** By which people are listed: who has one name alone is listed by it. */
export function familyName({ lastName, firstName }: Names): string {
  return lastName ?? firstName ?? "";
}

export function fullName({ firstName, lastName }: Names): string {
  return [firstName, lastName].filter((name) => name !== undefined).join(" ");
}

/** What is kept for a review, and deleted with it. */
export const reviewFields = [
  "kycSession",
  "kycToken",
  "kycPage",
  "kycUrl",
  "kycAskedAt",
  "kycEndsAt",
  "kycRequirement",
] as const satisfies readonly (keyof Cardholder)[];

/** What the compliance provider reviews. */
export const applicantFields = [
  "firstName",
  "lastName",
  "dateOfBirth",
  "gender",
  "nationality",
  "email",
  "phone",
  "address",
] as const satisfies readonly (keyof Cardholder)[];

export function toApplicant(cardholder: Cardholder): Pick<Cardholder, (typeof applicantFields)[number]> {
  return pick(cardholder, ...applicantFields);
}

export function draftCardholder(
  cardholderId: string,
  { externalId, metadata, ...details }: CardholderCreate,
  createdAt: string,
): Cardholder {
  return {
    entityId: cardholderId,
    status: CardholderStatus.draft,
    openCards: 0,
    createdAt,
    ...details,
    ...newLabels({ externalId, metadata }),
  };
}

/** @throws ApiError NOT_FOUND */
export function getCardholder(programId: string, cardholderId: string, place?: string): Promise<Cardholder> {
  return cardholders.at(programId, cardholderId).require(place);
}

/**
 * The Cardholder as it is answered, without metadata: personal data under `contact`, nothing of the
 * compliance review.
 */
export function toCardholderView(cardholder: Cardholder): Labelling<CardholderView> {
  return {
    cardholderId: cardholder.entityId,
    ...pick(cardholder, "status", "altKycEnabled", "externalId", "hasMetadata"),
    contact: toApplicant(cardholder),
    dateCreated: cardholder.createdAt,
  };
}
