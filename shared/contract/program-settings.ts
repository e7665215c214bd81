import * as z from "zod";
import { FeeType, IssuanceApproval } from "./enums.ts";
import { integerEnum, maximumAmountMinor } from "./primitives.ts";

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
    feeType: integerEnum(FeeType),
    /** The fixed part; it may be 0 where there is another. */
    amount: z.int().min(0).max(maximumAmountMinor),
    /** What is charged beside it of what was moved, in hundredths of a percent: only where something is moved, with 3 and 4. */
    basisPoints: z.int().min(0).max(10_000).default(0),
  })
  .refine(({ amount, basisPoints }) => amount + basisPoints > 0, "must charge something")
  .refine(
    ({ feeType, basisPoints }) =>
      basisPoints === 0 || feeType === FeeType.atm || feeType === FeeType.crossBorder,
    {
      path: ["basisPoints"],
      message: "is of nothing with this feeType",
    },
  );

/**
 * What a Program charges by itself; a fee that does not stand in it is not charged. 1 when an issuance is approved, 2 every month from then
 * on for a card that is approved while it stands in it, 3 with an ATM withdrawal, 4 with a settlement that the merchant billed in another
 * currency. 5 names the price of other services, which the processor charges.
 */
export const FeeSchedule = z
  .array(ScheduledFee)
  .refine(
    (fees) => new Set(fees.map(({ feeType }) => feeType)).size === fees.length,
    "must name each feeType once",
  );

export const ProgramSettings = z.object({
  issuanceApproval: integerEnum(IssuanceApproval).default(IssuanceApproval.automatic),
  /** How long a bank deposit stays pending where there is a sandbox; 0 clears it at once. The operator sets it. */
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
  /** Whether an authorization above the available balance is approved for what there is, where the terminal supports that. */
  partialApproval: z.boolean().default(false),
  /** Whether purchases without the card present ask for a one-time passcode. */
  threeDSecure: z.boolean().default(false),
  feeSchedule: FeeSchedule.default([]),
});
export type ProgramSettings = z.output<typeof ProgramSettings>;

/** Settings of a new Program; without extended public keys it takes those of the environment. */
export const NewProgramSettings = ProgramSettings.partial({ extendedPublicKeys: true });
export type NewProgramSettings = z.output<typeof NewProgramSettings>;

/** What the platform decides on: the range of card numbers, and how long the simulated bank takes. */
const platformSettings = { cardBin: true, clearingDelaySeconds: true } as const;

/** What a Tenant sees of a Program's settings. The clearing delay is shown and not the Tenant's to change. */
export const ProgramSettingsView = ProgramSettings.omit({ cardBin: true });
export type ProgramSettingsView = z.output<typeof ProgramSettingsView>;

/** The settings that a Tenant may give a new Program. */
export const RequestedSettings = NewProgramSettings.omit(platformSettings);

const { issuanceApproval, partialApproval, threeDSecure, feeSchedule } = ProgramSettings.shape;

/** Any of the settings that a Tenant decides on; what is left out stays as it is. */
export const ProgramSettingsUpdate = ProgramSettings.omit(platformSettings)
  .extend({
    issuanceApproval: issuanceApproval.unwrap(),
    partialApproval: partialApproval.unwrap(),
    threeDSecure: threeDSecure.unwrap(),
    feeSchedule: feeSchedule.unwrap(),
  })
  .partial();
export type ProgramSettingsUpdate = z.output<typeof ProgramSettingsUpdate>;
