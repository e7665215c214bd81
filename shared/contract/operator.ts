import * as z from "zod";
import {
  AllowedIpView,
  ApiUserCreate,
  ApiUserUpdate,
  ApiUserView,
  CertificateView,
} from "./account-access.ts";
import { designSlots, NewProgramSettings, ProgramSettings } from "./account-programs.ts";
import { TicketDetail, TicketView } from "./account-tickets.ts";
import { Currency, IssuanceDecision, OpenSuspenseStatus, RefusedPort, SuspenseReason } from "./enums.ts";
import { requestCommands } from "./operator-requests.ts";
import { bin, id, integerEnum, paragraphs, positiveAmount, prose, text, timestamp } from "./primitives.ts";
import { RateLimits } from "./rate-limits.ts";
import { operationsFitRole } from "./roles.ts";
import { PublicJwk } from "./vault.ts";

/**
 * Commands of platform administration: direct invocation of the operator function with
 * `{command, input}`, under IAM. Never on the public domain.
 */

const programId = id("program");
const cardId = id("card");
const depositId = id("deposit");
const suspenseId = id("suspense");
/** A page has so many. */
export const limit = z.int().min(1).max(100).default(50);
const suspense = { programId, suspenseId };
const bins = z
  .array(bin)
  .min(1)
  .max(10)
  .refine((given) => new Set(given).size === given.length, "must not name one twice");

/** What the operator sends, and gets. */
export function command<I extends z.ZodRawShape, O extends z.ZodRawShape>(input: I, output: O) {
  return { input: z.object(input), output: z.object(output) };
}

const depositCommands = {
  /** Ends a deposit that a client announced with `bank-deposit`, and the bank has not reported. */
  "cancel-deposit": command({ programId, depositId }, { depositId }),
  /** Deposits in suspense, oldest first. `after`: the last `suspenseId` of the previous page. */
  "list-suspense": command(
    { programId, limit, after: suspenseId.optional() },
    {
      items: z.array(
        z.object({
          suspenseId,
          depositId,
          amount: positiveAmount,
          /** ISO 4217 code. Another one than the Program's can only be returned. */
          currency: z.string(),
          channel: z.enum(["bank", "crypto"]),
          status: integerEnum(OpenSuspenseStatus),
          reason: SuspenseReason,
          /** The cardId or walletId that the deposit was for. */
          accountId: z.string(),
          /** What the sender wrote. */
          reference: z.string().optional(),
          /** A possible duplicate names the deposit that was reported before. */
          duplicateOf: depositId.optional(),
          note: z.string().optional(),
          dateCreated: timestamp,
        }),
      ),
    },
  ),
  /** Credits it once to a Card or Wallet of the Program. A pending deposit stays pending. */
  "assign-suspense": {
    input: z.union([
      z.strictObject({ ...suspense, walletId: id("wallet") }),
      z.strictObject({ ...suspense, cardId }),
    ]),
    output: z.object({ suspenseId, depositId }),
  },
  /** Takes a possible duplicate out of the books: it is the deposit that was reported before. */
  "drop-suspense": command(suspense, { suspenseId, depositId }),
  /** Returns it to its source. */
  "return-suspense": command(suspense, { suspenseId, depositId }),
} as const;

/** Recorded in the audit log. */
const reason = prose(500).optional();
const tenantId = id("tenant");
const cardholderId = id("cardholder");
const apiUserId = id("apiUser");
const certificateId = id("certificate");
const batchId = id("batch");
const exported = { batchId: batchId.optional(), cards: z.int(), more: z.boolean() };
const blocked = z.boolean();
const slot = { programId, cardType: z.literal(designSlots) };
const refusedId = id("refused");
const refused = {
  refusedId,
  port: RefusedPort,
  reason: z.string(),
  /** If it is known. */
  programId: programId.optional(),
  receivedAt: timestamp,
};
const ticket = { tenantId, ticketId: id("ticket") };
/** Without `programId` it applies to the whole Tenant. */
const range = { tenantId, programId: programId.optional(), cidr: z.union([z.cidrv4(), z.cidrv6()]) };

export const operatorCommands = {
  /**
   * Creates a Tenant with its first Tenant-level key, which is shown once and never stored.
   * `contactEmail` receives certificate reminders until the notification settings are changed.
   */
  "create-tenant": command(
    { name: prose(100), contactEmail: z.email().max(254) },
    { tenantId, apiUserId, apiKey: z.string() },
  ),
  /** Rejects every request of the Tenant with 403 `SUSPENDED`, from the next one on. */
  "suspend-tenant": command({ tenantId, reason }, { tenantId, suspendedAt: timestamp }),
  "resume-tenant": command({ tenantId, reason }, { tenantId }),
  /** Rejects every request with a key of the Program with 403 `SUSPENDED`, from the next one on. */
  "suspend-program": command({ programId, reason }, { programId, suspendedAt: timestamp }),
  "resume-program": command({ programId, reason }, { programId }),
  /** All credentials and address ranges of the Tenant and its Programs, including revoked ones. */
  "list-credentials": command(
    { tenantId },
    {
      apiUsers: z.array(ApiUserView),
      certificates: z.array(CertificateView),
      ranges: z.array(AllowedIpView),
    },
  ),
  /** Revokes all of them. If it is interrupted, repeat it. */
  "revoke-credentials": command(
    { tenantId },
    {
      tenantId,
      revoked: z.object({ apiUsers: z.int(), certificates: z.int(), ranges: z.int() }),
    },
  ),
  "create-program": command(
    {
      tenantId,
      name: prose(100),
      currency: integerEnum(Currency),
      settings: NewProgramSettings.prefault({}),
    },
    { programId, walletId: id("wallet") },
  ),
  /** Omitted kinds keep their tier. A repetition repairs the gateway's plans of the Program. */
  "set-rate-limits": command(
    { programId, ...RateLimits.partial().shape },
    { programId, rateLimits: RateLimits },
  ),
  /** How long bank deposits stay pending with a sandbox. 0 clears them at once. */
  "set-clearing-delay": command(
    {
      programId,
      seconds: ProgramSettings.shape.clearingDelaySeconds,
    },
    { programId, seconds: z.int() },
  ),
  /**
   * The BINs that Cards can be issued with, the default first. Cards that were issued keep theirs,
   * and so does the Program: no other can have a BIN that it has had.
   */
  "set-bins": command({ programId, bins }, { programId, bins: z.array(z.string()) }),
  /** Replaces the first BIN. */
  "set-card-bin": command(
    { programId, cardBin: ProgramSettings.shape.cardBin },
    { programId, cardBin: z.string() },
  ),
  ...requestCommands,
  ...depositCommands,
  /**
   * What came from outside and could not be applied, newest first, for 90 days. `before`: the last
   * `refusedId` of the previous page.
   */
  "list-refused": command({ limit, before: refusedId.optional() }, { items: z.array(z.object(refused)) }),
  /** With the input: text, or bytes in hex. Card numbers are masked. */
  "view-refused": command({ refusedId }, { ...refused, input: z.string(), isCut: z.boolean() }),
  /** Records the reason before a dead letter is deleted. */
  "record-discard": command(
    {
      queue: text(64),
      messageId: text(128),
      kind: text(64),
      ids: z.record(z.string().max(200), z.union([z.string().max(128), z.number()])),
      reason: prose(500),
    },
    { messageId: z.string() },
  ),
  /** Recorded before a queue's dead letters are redriven: all, or the one with `messageId`. */
  "record-redrive": command({ queue: text(64), messageId: text(128).optional() }, { queue: z.string() }),
  /**
   * Program-level with `programId`, else Tenant-level; with a role, restricted. The key is shown
   * once and never stored.
   */
  "create-api-key": {
    input: z
      .object({ tenantId, programId: programId.optional(), ...ApiUserCreate.shape })
      .refine(...operationsFitRole),
    output: z.object({ apiUserId, apiKey: z.string() }),
  },
  /** Also restores the role of a Tenant that has left itself no key of the role `everything`. */
  "change-api-key": {
    input: z.object({ tenantId, apiUserId, ...ApiUserUpdate.shape }).refine(...operationsFitRole),
    output: ApiUserView,
  },
  "revoke-api-key": command({ tenantId, apiUserId }, { apiUserId }),
  /** Registers a certificate of the environment's CA. O is the Tenant, OUs are Programs. */
  "register-certificate": command(
    { certificatePem: z.string().max(16_384) },
    { certificateId, serialNumber: z.string(), notAfter: timestamp },
  ),
  "revoke-certificate": command({ tenantId, certificateId }, { certificateId }),
  "allow-ip": command(range, { cidr: z.string() }),
  "disallow-ip": command(range, { cidr: z.string() }),
  /** Sets the receiver of certificate reminders. A new `url` gets a signing secret, shown once. */
  "set-notifications": {
    input: z.discriminatedUnion("channel", [
      z.object({ tenantId, channel: z.literal("email"), email: z.email().max(254) }),
      z.object({ tenantId, channel: z.literal("webhook"), url: text(2048) }),
    ]),
    output: z.object({ channel: z.enum(["email", "webhook"]), secret: z.string().optional() }),
  },
  "list-designs": command(
    { limit },
    {
      designs: z.array(
        z.object({ ...slot, name: z.string(), imageUrl: z.string().optional(), submittedAt: timestamp }),
      ),
    },
  ),
  /** With a `name`, puts one of the platform's own designs into an empty slot. */
  "approve-design": command({ ...slot, name: prose(100).optional() }, { cardType: z.int() }),
  "reject-design": command({ ...slot, reason: prose(500) }, { cardType: z.int() }),
  /** Cards whose issuance awaits a decision. */
  "list-issuances": command(
    { programId, limit },
    {
      cards: z.array(z.object({ cardId, cardholderId, dateCreated: timestamp })),
    },
  ),
  "decide-issuance": command(
    {
      programId,
      cardId,
      cardStatus: integerEnum(IssuanceDecision),
    },
    { cardId, cardStatus: z.int() },
  ),
  /**
   * Encrypts to the bureau's key: up to 500 physical Cards that are in no batch, in a new one, or
   * the batch `batchId` again. Without any, there is no batch. `more`: others wait for the next
   * one. `closed`: how many Cards were closed since the batch was made; the export leaves them out.
   */
  "export-production": command(
    { programId, publicKey: PublicJwk, batchId: batchId.optional() },
    { ...exported, closed: z.int().optional(), jwe: z.string().optional() },
  ),
  /** Batches, the oldest first. `after`: the last `batchId` of the previous page. */
  "list-production": command(
    { programId, limit, after: batchId.optional() },
    { batches: z.array(z.object({ batchId, cards: z.int(), dateCreated: timestamp })) },
  ),
  /** Declines everything; the Program cannot lift the block. */
  "block-card": command({ programId, cardId, reason }, { cardId, blocked }),
  /** `blocked` stays true if the Cardholder is blocked. */
  "unblock-card": command({ programId, cardId, reason }, { cardId, blocked }),
  /** Blocks all its Cards, and those issued later. */
  "block-cardholder": command({ programId, cardholderId, reason }, { cardholderId, blocked, cards: z.int() }),
  /** Cards with a block of their own stay blocked. */
  "unblock-cardholder": command(
    { programId, cardholderId, reason },
    { cardholderId, blocked, cards: z.int() },
  ),
  /** Under Review or Approved to 7 Admin Decline; its Cards are blocked. */
  "refuse-cardholder": command({ programId, cardholderId }, { cardholderId, status: z.int() }),
  /** Tickets that await the platform's answer, most urgent first. */
  "list-tickets": command(
    { limit },
    {
      tickets: z.array(z.object({ ...ticket, subject: z.string(), priority: z.int(), updatedAt: timestamp })),
    },
  ),
  "view-ticket": { input: z.object(ticket), output: TicketDetail },
  "answer-ticket": { input: z.object({ ...ticket, message: paragraphs(5_000) }), output: TicketView },
  "resolve-ticket": {
    input: z.object({ ...ticket, message: paragraphs(5_000).optional() }),
    output: TicketView,
  },
} as const;

export type OperatorCommand = keyof typeof operatorCommands;
