import * as z from "zod";
import { AllowedIpView, ApiUserView, CertificateView } from "./account-access.ts";
import { designSlots, NewProgramSettings, ProgramSettings } from "./account-programs.ts";
import { TicketDetail, TicketView } from "./account-tickets.ts";
import { Currency, IssuanceDecision, OpenSuspenseStatus, SuspenseReason } from "./enums.ts";
import { blockCommands } from "./operator-blocks.ts";
import { id, integerEnum, paragraphs, positiveAmount, text, timestamp } from "./primitives.ts";
import { RateLimits } from "./rate-limits.ts";

/**
 * Commands of platform administration: direct invocation of the operator function with `{command, input}`,
 * under IAM. Never on the public domain.
 */

const limit = z.int().min(1).max(100).default(50);
/** Recorded in the audit log. */
const reason = text(500).optional();
const slot = { programId: id("program"), cardType: z.literal(designSlots) };
const suspense = { programId: id("program"), suspenseId: id("suspense") };
const ticket = { tenantId: id("tenant"), ticketId: id("ticket") };

export const operatorCommands = {
  /**
   * Creates a Tenant with its first Tenant-level key, answered once and never stored. Certificate reminders
   * go to `contactEmail` until the notification settings say otherwise.
   */
  "create-tenant": {
    input: z.object({ name: text(100), contactEmail: z.email().max(254) }),
    output: z.object({ tenantId: id("tenant"), apiUserId: id("apiUser"), apiKey: z.string() }),
  },
  /** Rejects every request of the Tenant with 403 `SUSPENDED`, from the next one on. */
  "suspend-tenant": {
    input: z.object({ tenantId: id("tenant"), reason }),
    output: z.object({ tenantId: id("tenant"), suspendedAt: timestamp }),
  },
  "resume-tenant": {
    input: z.object({ tenantId: id("tenant"), reason }),
    output: z.object({ tenantId: id("tenant") }),
  },
  /** Rejects every request with a key of the Program with 403 `SUSPENDED`, from the next one on. */
  "suspend-program": {
    input: z.object({ programId: id("program"), reason }),
    output: z.object({ programId: id("program"), suspendedAt: timestamp }),
  },
  "resume-program": {
    input: z.object({ programId: id("program"), reason }),
    output: z.object({ programId: id("program") }),
  },
  /** All API users, certificates and address ranges of the Tenant and its Programs, revoked ones included. */
  "list-credentials": {
    input: z.object({ tenantId: id("tenant") }),
    output: z.object({
      apiUsers: z.array(ApiUserView),
      certificates: z.array(CertificateView),
      ranges: z.array(AllowedIpView),
    }),
  },
  /** Revokes all of them. Repeat the command after an interruption. */
  "revoke-credentials": {
    input: z.object({ tenantId: id("tenant") }),
    output: z.object({
      tenantId: id("tenant"),
      revoked: z.object({ apiUsers: z.int(), certificates: z.int(), ranges: z.int() }),
    }),
  },
  "create-program": {
    input: z.object({
      tenantId: id("tenant"),
      name: text(100),
      currency: integerEnum(Currency),
      settings: NewProgramSettings.prefault({}),
    }),
    output: z.object({ programId: id("program"), walletId: id("wallet") }),
  },
  /** Omitted kinds keep their tier. Repeating the command repairs the gateway's plans of the Program and its Tenant. */
  "set-rate-limits": {
    input: z.object({ programId: id("program"), ...RateLimits.partial().shape }),
    output: z.object({ programId: id("program"), rateLimits: RateLimits }),
  },
  /** Seconds that bank deposits stay pending in environments with a sandbox. 0 clears them at once. */
  "set-clearing-delay": {
    input: z.object({
      programId: id("program"),
      seconds: ProgramSettings.shape.clearingDelaySeconds.unwrap(),
    }),
    output: z.object({ programId: id("program"), seconds: z.int() }),
  },
  /** Deposits in suspense, oldest first. `after`: the last `suspenseId` of the previous page. */
  "list-suspense": {
    input: z.object({ programId: id("program"), limit, after: id("suspense").optional() }),
    output: z.object({
      items: z.array(
        z.object({
          suspenseId: id("suspense"),
          depositId: id("deposit"),
          amount: positiveAmount,
          channel: z.enum(["bank", "crypto"]),
          status: integerEnum(OpenSuspenseStatus),
          reason: SuspenseReason,
          /** The cardId or walletId that the deposit was for. */
          accountId: z.string(),
          dateCreated: timestamp,
        }),
      ),
    }),
  },
  /** Credits it once, to a Card or Wallet of the Program. A pending deposit stays pending until it clears. */
  "assign-suspense": {
    input: z.union([
      z.strictObject({ ...suspense, walletId: id("wallet") }),
      z.strictObject({ ...suspense, cardId: id("card") }),
    ]),
    output: z.object({ suspenseId: id("suspense"), depositId: id("deposit") }),
  },
  /** Returns it to its source. */
  "return-suspense": {
    input: z.object(suspense),
    output: z.object({ suspenseId: id("suspense"), depositId: id("deposit") }),
  },
  /** Records the reason before a dead letter is deleted. */
  "record-discard": {
    input: z.object({
      queue: text(64),
      messageId: text(128),
      kind: text(64),
      ids: z.record(z.string().max(200), z.union([z.string().max(128), z.number()])),
      reason: text(500),
    }),
    output: z.object({ messageId: z.string() }),
  },
  /** Recorded before a queue's dead letters are redriven: all, or the one with `messageId`. */
  "record-redrive": {
    input: z.object({ queue: text(64), messageId: text(128).optional() }),
    output: z.object({ queue: z.string() }),
  },
  /** Program-level with `programId`, else Tenant-level. The key is answered once and never stored. */
  "create-api-key": {
    input: z.object({ tenantId: id("tenant"), programId: id("program").optional(), name: text(100) }),
    output: z.object({ apiUserId: id("apiUser"), apiKey: z.string() }),
  },
  "revoke-api-key": {
    input: z.object({ tenantId: id("tenant"), apiUserId: id("apiUser") }),
    output: z.object({ apiUserId: id("apiUser") }),
  },
  /** Registers a certificate that the environment's CA signed. O is the Tenant, OUs are Programs. */
  "register-certificate": {
    input: z.object({ certificatePem: z.string().max(16_384) }),
    output: z.object({ certificateId: id("certificate"), serialNumber: z.string(), notAfter: timestamp }),
  },
  "revoke-certificate": {
    input: z.object({ tenantId: id("tenant"), certificateId: id("certificate") }),
    output: z.object({ certificateId: id("certificate") }),
  },
  /** Without `programId` the range holds for the whole Tenant. */
  "allow-ip": {
    input: z.object({
      tenantId: id("tenant"),
      programId: id("program").optional(),
      cidr: z.union([z.cidrv4(), z.cidrv6()]),
    }),
    output: z.object({ cidr: z.string() }),
  },
  /** Without `programId` the range of the whole Tenant. */
  "disallow-ip": {
    input: z.object({
      tenantId: id("tenant"),
      programId: id("program").optional(),
      cidr: z.union([z.cidrv4(), z.cidrv6()]),
    }),
    output: z.object({ cidr: z.string() }),
  },
  /** Sets where certificate reminders go. A new `url` gets a signing secret, shown once. */
  "set-notifications": {
    input: z.discriminatedUnion("channel", [
      z.object({ tenantId: id("tenant"), channel: z.literal("email"), email: z.email().max(254) }),
      z.object({ tenantId: id("tenant"), channel: z.literal("webhook"), url: text(2048) }),
    ]),
    output: z.object({ channel: z.enum(["email", "webhook"]), secret: z.string().optional() }),
  },
  "list-designs": {
    input: z.object({ limit }),
    output: z.object({
      designs: z.array(
        z.object({ ...slot, name: z.string(), imageUrl: z.string().optional(), submittedAt: timestamp }),
      ),
    }),
  },
  /** With a `name`, puts a design of the platform's own into an empty slot. */
  "approve-design": {
    input: z.object({ ...slot, name: text(100).optional() }),
    output: z.object({ cardType: z.int() }),
  },
  "reject-design": {
    input: z.object({ ...slot, reason: text(500) }),
    output: z.object({ cardType: z.int() }),
  },
  /** Cards whose issuance awaits a decision. */
  "list-issuances": {
    input: z.object({ programId: id("program"), limit }),
    output: z.object({
      cards: z.array(
        z.object({ cardId: id("card"), cardholderId: id("cardholder"), dateCreated: timestamp }),
      ),
    }),
  },
  "decide-issuance": {
    input: z.object({
      programId: id("program"),
      cardId: id("card"),
      cardStatus: integerEnum(IssuanceDecision),
    }),
    output: z.object({ cardId: id("card"), cardStatus: z.int() }),
  },
  ...blockCommands,
  /** Under Review or Approved to 7 Admin Decline; its Cards are blocked. */
  "refuse-cardholder": {
    input: z.object({ programId: id("program"), cardholderId: id("cardholder") }),
    output: z.object({ cardholderId: id("cardholder"), status: z.int() }),
  },
  /** Tickets that await the platform's answer, most urgent first. */
  "list-tickets": {
    input: z.object({ limit }),
    output: z.object({
      tickets: z.array(z.object({ ...ticket, subject: z.string(), priority: z.int(), updatedAt: timestamp })),
    }),
  },
  "view-ticket": { input: z.object(ticket), output: TicketDetail },
  "answer-ticket": { input: z.object({ ...ticket, message: paragraphs(5_000) }), output: TicketView },
  "resolve-ticket": {
    input: z.object({ ...ticket, message: paragraphs(5_000).optional() }),
    output: TicketView,
  },
} as const;

export type OperatorCommand = keyof typeof operatorCommands;
