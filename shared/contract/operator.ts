import * as z from "zod";
import { currencySchema } from "./enums.ts";
import { id, maximumAmountMinor, text, timestamp } from "./primitives.ts";
import { feeTypeSchema } from "./transactions.ts";

/**
 * Commands of platform administration: the operator function takes `{command, input}` by direct invocation, under IAM.
 * It is never on the public domain.
 */

/** Account-level extended public keys (BIP-32 `xpub`) from which a Program's deposit addresses are derived. */
export const ExtendedPublicKeys = z.object({
  /** BIP-84 account: m/84'/0'/0' */
  bitcoin: z.string().startsWith("xpub"),
  /** BIP-44 account: m/44'/60'/0' */
  ethereum: z.string().startsWith("xpub"),
  /** BIP-44 account: m/44'/195'/0' */
  tron: z.string().startsWith("xpub"),
});
export type ExtendedPublicKeys = z.output<typeof ExtendedPublicKeys>;

/** One charge of a schedule, in minor units of the Program's currency. */
const ScheduledFee = z
  .object({
    feeType: feeTypeSchema,
    /** The fixed part; it may be 0 where there is another. */
    amount: z.int().min(0).max(maximumAmountMinor),
    /** What is charged beside it of what was moved, in hundredths of a percent: only where something is moved, with 3 and 4. */
    basisPoints: z.int().min(0).max(10_000).default(0),
  })
  .refine(({ amount, basisPoints }) => amount + basisPoints > 0, "must charge something")
  .refine(({ feeType, basisPoints }) => basisPoints === 0 || feeType === 3 || feeType === 4, {
    path: ["basisPoints"],
    message: "is of nothing with this feeType",
  });

/**
 * What a Program charges by itself; a fee that does not stand in it is not charged. 1 when an issuance is approved, 2 every month from then
 * on, 3 with an ATM withdrawal, 4 with a settlement that the merchant billed in another currency. 5 names the price of other services, which
 * the processor charges.
 */
export const FeeSchedule = z
  .array(ScheduledFee)
  .refine(
    (fees) => new Set(fees.map(({ feeType }) => feeType)).size === fees.length,
    "must name each feeType once",
  );

export const ProgramSettings = z.object({
  /** 0 automatic, 1 manual. */
  issuanceApproval: z.literal([0, 1]).default(0),
  /** How long a bank deposit stays pending; 0 clears it at once. */
  clearingDelaySeconds: z
    .int()
    .min(0)
    .max(30 * 86_400)
    .default(86_400),
  extendedPublicKeys: ExtendedPublicKeys,
  /** First six digits of the Program's card numbers, as its BIN sponsor assigned them; the default is a test range. */
  cardBin: z
    .string()
    .regex(/^[2-6]\d{5}$/)
    .default("400000"),
  /** Whether an authorization above the available balance is approved for what there is. */
  partialApproval: z.boolean().default(false),
  /** Whether purchases without the card present ask for a one-time passcode. */
  threeDSecure: z.boolean().default(false),
  feeSchedule: FeeSchedule.default([]),
});
export type ProgramSettings = z.output<typeof ProgramSettings>;

export const operatorCommands = {
  "create-tenant": { input: z.object({ name: text(100) }), output: z.object({ tenantId: id("tenant") }) },
  "create-program": {
    input: z.object({
      tenantId: id("tenant"),
      name: text(100),
      currency: currencySchema,
      settings: ProgramSettings,
    }),
    output: z.object({ programId: id("program"), walletId: id("wallet") }),
  },
  /** With `programId` the key is Program-level, without it Tenant-level. The key is answered once and never stored. */
  "create-api-key": {
    input: z.object({ tenantId: id("tenant"), programId: id("program").optional(), name: text(100) }),
    output: z.object({ apiUserId: id("apiUser"), apiKey: z.string() }),
  },
  "revoke-api-key": {
    input: z.object({ tenantId: id("tenant"), apiUserId: id("apiUser") }),
    output: z.object({ apiUserId: id("apiUser") }),
  },
  /** Registers a certificate that the environment's CA has signed. Its O is the Tenant, its OUs are Programs. */
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
  /** Where a Tenant's reminders of certificates go. With a `url` that is new, the answer shows the secret that signs them, once. */
  "set-notifications": {
    input: z.discriminatedUnion("channel", [
      z.object({ tenantId: id("tenant"), channel: z.literal("email"), email: z.email().max(254) }),
      z.object({ tenantId: id("tenant"), channel: z.literal("webhook"), url: text(2048) }),
    ]),
    output: z.object({ channel: z.enum(["email", "webhook"]), secret: z.string().optional() }),
  },
  "approve-design": {
    input: z.object({ programId: id("program"), cardType: z.int().min(0).max(2), name: text(100) }),
    output: z.object({ cardType: z.int() }),
  },
} as const;

export type OperatorCommand = keyof typeof operatorCommands;
export type OperatorInput<C extends OperatorCommand> = z.output<(typeof operatorCommands)[C]["input"]>;
export type OperatorOutput<C extends OperatorCommand> = z.output<(typeof operatorCommands)[C]["output"]>;
