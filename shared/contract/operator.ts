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
import { sentAddress } from "./mail-address.ts";
import { requestCommands } from "./operator-requests.ts";
import { FundingLimits } from "./payouts.ts";
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

/** What it does, what the operator sends, and gets. */
export function command<I extends z.ZodRawShape, O extends z.ZodRawShape>(
  about: string,
  input: I,
  output: O,
) {
  return { about, input: z.object(input), output: z.object(output) };
}

const paymentFile = {
  fileId: id("paymentFile"),
  /** Credit transfers, or direct debits. */
  kind: z.enum(["pain.001", "pain.008"]),
  count: z.int(),
  /** Minor units. */
  sum: z.int(),
  dateCreated: timestamp,
};

const paymentCommands = {
  "send-payments": command(
    "Writes what is pending into files for the bank, before the Program's hour. `more`: run it again, there was no time for all.",
    { programId },
    { items: z.array(z.object(paymentFile)), more: z.boolean() },
  ),
  "list-payment-files": command(
    "Files of payments, the oldest first. `after`: the last `fileId` of the previous page.",
    { programId, limit, after: id("paymentFile").optional() },
    { items: z.array(z.object(paymentFile)) },
  ),
  "view-payment-file": command(
    "A file as the bank has it, with the account numbers. `next`: the rest of a large one, by `from`.",
    { fileId: id("paymentFile"), from: z.int().min(0).optional() },
    { xml: z.string(), next: z.int().optional() },
  ),
};

const depositCommands = {
  "cancel-deposit": command(
    "Ends a deposit that a client announced with `bank-deposit`, and the bank has not reported.",
    { programId, depositId },
    { depositId },
  ),
  "list-suspense": command(
    "Deposits in suspense, oldest first. `after`: the last `suspenseId` of the previous page.",
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
  "assign-suspense": {
    about:
      "Credits a deposit in suspense once to a Card or Wallet of the Program. A pending deposit stays pending.",
    input: z.union([
      z.strictObject({ ...suspense, walletId: id("wallet") }),
      z.strictObject({ ...suspense, cardId }),
    ]),
    output: z.object({ suspenseId, depositId }),
  },
  "drop-suspense": command(
    "Takes a possible duplicate out of the books: it is the deposit that was reported before.",
    suspense,
    { suspenseId, depositId },
  ),
  "return-suspense": command("Returns a deposit in suspense to its source.", suspense, {
    suspenseId,
    depositId,
  }),
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
  "create-tenant": command(
    "Creates a Tenant with its first Tenant-level key, which is shown once and never stored. `contactEmail` receives certificate reminders until the notification settings are changed.",
    { name: prose(100), contactEmail: sentAddress },
    { tenantId, apiUserId, apiKey: z.string() },
  ),
  "suspend-tenant": command(
    "Rejects every request of the Tenant with 403 `SUSPENDED`, from the next one on.",
    { tenantId, reason },
    { tenantId, suspendedAt: timestamp },
  ),
  "resume-tenant": command("Takes requests of the Tenant again.", { tenantId, reason }, { tenantId }),
  "suspend-program": command(
    "Rejects every request with a key of the Program with 403 `SUSPENDED`, from the next one on.",
    { programId, reason },
    { programId, suspendedAt: timestamp },
  ),
  "resume-program": command(
    "Takes requests with keys of the Program again.",
    { programId, reason },
    { programId },
  ),
  "list-credentials": command(
    "All credentials and address ranges of the Tenant and its Programs, including revoked ones.",
    { tenantId },
    {
      apiUsers: z.array(ApiUserView),
      certificates: z.array(CertificateView),
      ranges: z.array(AllowedIpView),
    },
  ),
  "revoke-credentials": command(
    "Revokes all credentials and address ranges of the Tenant and its Programs. If it is interrupted, repeat it.",
    { tenantId },
    {
      tenantId,
      revoked: z.object({ apiUsers: z.int(), certificates: z.int(), ranges: z.int() }),
    },
  ),
  "create-program": command(
    "Creates a Program with its first Wallet.",
    {
      tenantId,
      name: prose(100),
      currency: integerEnum(Currency),
      settings: NewProgramSettings.prefault({}),
    },
    { programId, walletId: id("wallet") },
  ),
  "set-rate-limits": command(
    "Gives a Program tiers of rate limits. Omitted kinds keep theirs. A repetition repairs the gateway's plans of the Program.",
    { programId, ...RateLimits.partial().shape },
    { programId, rateLimits: RateLimits },
  ),
  "set-funding-limits": command(
    "Bounds what a Program's settings permit of payouts, and asks for approvals above an amount. What is named is replaced as a whole; `{}` lifts it.",
    { programId, ...FundingLimits.shape },
    { programId, fundingLimits: FundingLimits },
  ),
  "set-clearing-delay": command(
    "Sets how long bank deposits stay pending with a sandbox. 0 clears them at once.",
    {
      programId,
      seconds: ProgramSettings.shape.clearingDelaySeconds,
    },
    { programId, seconds: z.int() },
  ),
  "set-bins": command(
    "Sets the BINs that Cards can be issued with, the default first. Cards that were issued keep theirs, and so does the Program: no other can have a BIN that it has had.",
    { programId, bins },
    { programId, bins: z.array(z.string()) },
  ),
  "set-card-bin": command(
    "Replaces the first BIN.",
    { programId, cardBin: ProgramSettings.shape.cardBin },
    { programId, cardBin: z.string() },
  ),
  ...requestCommands,
  ...paymentCommands,
  ...depositCommands,
  "list-refused": command(
    "What came from outside and could not be applied, newest first, for 90 days. `before`: the last `refusedId` of the previous page.",
    { limit, before: refusedId.optional() },
    { items: z.array(z.object(refused)) },
  ),
  "view-refused": command(
    "Shows a refused input: text, or bytes in hex. Card numbers are masked.",
    { refusedId },
    { ...refused, input: z.string(), isCut: z.boolean() },
  ),
  "record-discard": command(
    "Records the reason before a dead letter is deleted.",
    {
      queue: text(64),
      messageId: text(128),
      kind: text(64),
      ids: z.record(z.string().max(200), z.union([z.string().max(128), z.number()])),
      reason: prose(500),
    },
    { messageId: z.string() },
  ),
  "record-redrive": command(
    "Records why, before a queue's dead letters are redriven: all, or the one with `messageId`.",
    { queue: text(64), messageId: text(128).optional() },
    { queue: z.string() },
  ),
  "create-api-key": {
    about:
      "Creates a key: Program-level with `programId`, else Tenant-level; with a role, restricted. The key is shown once and never stored.",
    input: z
      .object({ tenantId, programId: programId.optional(), ...ApiUserCreate.shape })
      .refine(...operationsFitRole),
    output: z.object({ apiUserId, apiKey: z.string() }),
  },
  "change-api-key": {
    about:
      "Changes a key's name and role. Also restores the role of a Tenant that has left itself no key of the role `everything`.",
    input: z.object({ tenantId, apiUserId, ...ApiUserUpdate.shape }).refine(...operationsFitRole),
    output: ApiUserView,
  },
  "revoke-api-key": command(
    "Rejects requests with this key from the next one on.",
    { tenantId, apiUserId },
    { apiUserId },
  ),
  "register-certificate": command(
    "Registers a certificate of the environment's CA. O is the Tenant, OUs are Programs.",
    { certificatePem: z.string().max(16_384) },
    { certificateId, serialNumber: z.string(), notAfter: timestamp },
  ),
  "revoke-certificate": command(
    "Rejects connections with this certificate from the next one on.",
    { tenantId, certificateId },
    { certificateId },
  ),
  "allow-ip": command(
    "Lets requests come from an address range. Without `programId` it counts for the whole Tenant.",
    range,
    { cidr: z.string() },
  ),
  "disallow-ip": command("Rejects requests from an address range from the next one on.", range, {
    cidr: z.string(),
  }),
  "set-notifications": {
    about: "Sets the receiver of certificate reminders. A new `url` gets a signing secret, shown once.",
    input: z.discriminatedUnion("channel", [
      z.object({ tenantId, channel: z.literal("email"), email: sentAddress }),
      z.object({ tenantId, channel: z.literal("webhook"), url: text(2048) }),
    ]),
    output: z.object({ channel: z.enum(["email", "webhook"]), secret: z.string().optional() }),
  },
  "list-designs": command(
    "Card designs that wait for a decision, the oldest first.",
    { limit },
    {
      designs: z.array(
        z.object({ ...slot, name: z.string(), imageUrl: z.string().optional(), submittedAt: timestamp }),
      ),
    },
  ),
  "approve-design": command(
    "Approves a design. With a `name`, puts one of the platform's own designs into an empty slot.",
    { ...slot, name: prose(100).optional() },
    { cardType: z.int() },
  ),
  "reject-design": command(
    "Refuses a design. The customer sees the reason.",
    { ...slot, reason: prose(500) },
    { cardType: z.int() },
  ),
  "list-issuances": command(
    "Cards whose issuance awaits a decision.",
    { programId, limit },
    {
      cards: z.array(z.object({ cardId, cardholderId, dateCreated: timestamp })),
    },
  ),
  "decide-issuance": command(
    "Approves a Card's issuance or declines it.",
    {
      programId,
      cardId,
      cardStatus: integerEnum(IssuanceDecision),
    },
    { cardId, cardStatus: z.int() },
  ),
  "export-production": command(
    "Exports Cards for production, encrypted to the bureau's key: up to 500 physical Cards that are in no batch, in a new one, or the batch `batchId` again. Without any, there is no batch. `more`: others wait for the next one. `closed`: how many Cards were closed since the batch was made; the export leaves them out.",
    { programId, publicKey: PublicJwk, batchId: batchId.optional() },
    { ...exported, closed: z.int().optional(), jwe: z.string().optional() },
  ),
  "list-production": command(
    "Batches of production, the oldest first. `after`: the last `batchId` of the previous page.",
    { programId, limit, after: batchId.optional() },
    { batches: z.array(z.object({ batchId, cards: z.int(), dateCreated: timestamp })) },
  ),
  "block-card": command(
    "Blocks a Card: it declines authorizations and withdrawals, and the Program cannot lift the block.",
    { programId, cardId, reason },
    { cardId, blocked },
  ),
  "unblock-card": command(
    "Lifts the block of a Card. `blocked` stays true if the Cardholder is blocked.",
    { programId, cardId, reason },
    { cardId, blocked },
  ),
  "block-cardholder": command(
    "Blocks all Cards of a Cardholder, and those issued later.",
    { programId, cardholderId, reason },
    { cardholderId, blocked, cards: z.int() },
  ),
  "unblock-cardholder": command(
    "Lifts the block of a Cardholder. Cards with a block of their own stay blocked.",
    { programId, cardholderId, reason },
    { cardholderId, blocked, cards: z.int() },
  ),
  "refuse-cardholder": command(
    "Refuses a Cardholder: Under Review or Approved to 7 Admin Decline; its Cards are blocked.",
    { programId, cardholderId },
    { cardholderId, status: z.int() },
  ),
  "list-tickets": command(
    "Tickets that await the platform's answer, most urgent first.",
    { limit },
    {
      tickets: z.array(z.object({ ...ticket, subject: z.string(), priority: z.int(), updatedAt: timestamp })),
    },
  ),
  "view-ticket": { about: "A ticket with its messages.", input: z.object(ticket), output: TicketDetail },
  "answer-ticket": {
    about: "Writes to the customer. The ticket then waits for them.",
    input: z.object({ ...ticket, message: paragraphs(5_000) }),
    output: TicketView,
  },
  "resolve-ticket": {
    about: "Ends a ticket, with a last message if there is one.",
    input: z.object({ ...ticket, message: paragraphs(5_000).optional() }),
    output: TicketView,
  },
} as const;

export type OperatorCommand = keyof typeof operatorCommands;
