import * as z from "zod";
import { CardForm, Gender } from "./enums.ts";
import { depositReference, id, integerEnum, timestamp } from "./primitives.ts";

/** Personal data is as it was stored, so no rule of the API applies to it again. */
export const StoredAddress = z.object({
  line1: z.string(),
  line2: z.string().optional(),
  city: z.string(),
  state: z.string().optional(),
  postalCode: z.string().optional(),
  country: z.string(),
});

export const Applicant = z.object({
  /** At least one of the two names. */
  firstName: z.string().optional(),
  lastName: z.string().optional(),
  dateOfBirth: z.string(),
  gender: integerEnum(Gender),
  nationality: z.string().optional(),
  email: z.string(),
  phone: z.string(),
  address: StoredAddress,
});

const cardholderId = id("cardholder");
const card = {
  cardholderId,
  cardId: id("card"),
  cardForm: integerEnum(CardForm),
  /** The design slot. */
  cardType: z.int(),
};

const expected = {
  depositId: id("deposit"),
  /** Minor units. */
  amount: z.int(),
  /** ISO 4217 code. */
  currency: z.string(),
  creditorReference: depositReference.optional(),
};

/** What each kind says beside the fields that all have. */
export const outsideDetails = {
  "kyc.requested": z.object({
    cardholderId,
    /** Names this submission. A later one of the same Cardholder has another. */
    sessionId: z.string(),
    /** Token-based flow: where the provider has the applicant's documents. */
    kycToken: z.string().optional(),
    applicant: Applicant,
  }),
  "issuance.requested": z.object(card),
  "production.requested": z.object({
    ...card,
    /** In place of another. Absent from a Card's first. */
    plasticId: id("plastic").optional(),
    nameOnCard: z.string(),
    shippingAddress: StoredAddress.extend({ recipient: z.string().optional() }),
  }),
  /** To the bank: money that is to come to the Program's account. */
  "deposit.expected": z.object({
    ...expected,
    reference: z.string().optional(),
    /** The Program's account at the bank. */
    account: z.string().optional(),
    expiresAt: timestamp,
  }),
  /** To the bank: it is not expected any more. What still comes is another deposit. */
  "deposit.cancelled": z.object(expected),
  /** To the account's bank: whether it is the holder's. */
  "account.check": z.object({
    externalAccountId: id("externalAccount"),
    /** The answer names it. */
    checkId: z.string(),
    holderName: z.string(),
    holderType: z.enum(["person", "business"]),
    country: z.string(),
    lastFour: z.string(),
  }),
  /** To the bank: a file of payments is ready. */
  "payments.ready": z.object({
    fileId: id("paymentFile"),
    /** Credit transfers, or direct debits. */
    kind: z.enum(["pain.001", "pain.008"]),
    count: z.int(),
    /** Minor units. */
    sum: z.int(),
  }),
} as const;

export type OutsideKind = keyof typeof outsideDetails;
export type OutsideDetail<K extends OutsideKind> = z.output<(typeof outsideDetails)[K]>;

const common = { eventId: z.string(), programId: id("program"), occurredAt: timestamp };

/** The `detail` on the bus of an event that waits for somebody outside. */
export const OutsideEvent = z.discriminatedUnion("kind", [
  outsideDetails["kyc.requested"].extend({ ...common, kind: z.literal("kyc.requested") }),
  outsideDetails["issuance.requested"].extend({ ...common, kind: z.literal("issuance.requested") }),
  outsideDetails["production.requested"].extend({ ...common, kind: z.literal("production.requested") }),
  outsideDetails["deposit.expected"].extend({ ...common, kind: z.literal("deposit.expected") }),
  outsideDetails["deposit.cancelled"].extend({ ...common, kind: z.literal("deposit.cancelled") }),
  outsideDetails["account.check"].extend({ ...common, kind: z.literal("account.check") }),
  outsideDetails["payments.ready"].extend({ ...common, kind: z.literal("payments.ready") }),
]);
