import * as z from "zod";
import { bankAccount } from "./bank-account.ts";
import { Currency, DesignStatus, FeeType, IssuanceApproval } from "./enums.ts";
import { PayoutSettings, PullSettings } from "./payouts.ts";
import { bin, id, integerEnum, listQuery, maximumAmountMinor, prose, timestamp } from "./primitives.ts";
import { routesWith } from "./route.ts";
import { timeZoneOffsets } from "./time-zones.ts";

/** Account-level extended public keys (BIP-32 `xpub`), from which deposit addresses derive. */
export const ExtendedPublicKeys = z.object({
  /** BIP-84 account: m/84'/0'/0' */
  bitcoin: z.string().startsWith("xpub", "must begin with xpub"),
  /** BIP-44 account: m/44'/60'/0' */
  ethereum: z.string().startsWith("xpub", "must begin with xpub"),
  /** BIP-44 account: m/44'/195'/0' */
  tron: z.string().startsWith("xpub", "must begin with xpub"),
});
export type ExtendedPublicKeys = z.output<typeof ExtendedPublicKeys>;

const basisPoints = z.int().min(0).max(10_000);

/** A fee of the schedule, in minor units of the Program's currency. */
const ScheduledFee = z.object({
  feeType: integerEnum(FeeType),
  /** The fixed part in minor units. It can be 0 if `basisPoints` is not. */
  amount: z.int().min(0).max(maximumAmountMinor),
  /** The proportional part in hundredths of a percent: 250 is 2.5 %. Only for fee types 3, 4. */
  basisPoints,
});

/**
 * The fees that a Program charges automatically: 1 when an issuance is approved, 2 every month from
 * then on, 3 with each ATM withdrawal, 4 with each settlement billed in another currency. The
 * processor charges 5, the price of other services.
 */
export const FeeSchedule = z.array(ScheduledFee);

/** The fees that the Program is to charge automatically: one of each type at most. */
export const FeeScheduleInput = z
  .array(
    ScheduledFee.extend({ basisPoints: basisPoints.default(0) })
      .refine(({ amount, basisPoints }) => amount + basisPoints > 0, "must charge something")
      .refine(
        ({ feeType, basisPoints }) =>
          basisPoints === 0 || feeType === FeeType.atm || feeType === FeeType.crossBorder,
        { path: ["basisPoints"], message: "must be 0 for this feeType" },
      ),
  )
  .refine(
    (fees) => new Set(fees.map(({ feeType }) => feeType)).size === fees.length,
    "must name each feeType once",
  );

const timeZone = z
  .string()
  .refine(
    (name) => timeZoneOffsets(name) !== undefined,
    "must be Etc/UTC or the IANA name of a region, such as Europe/Berlin",
  );

export const ProgramSettings = z.object({
  issuanceApproval: integerEnum(IssuanceApproval),
  /**
   * How many seconds a bank deposit stays pending in environments with a sandbox. 0 clears it at
   * once. Only the operator can change it.
   */
  clearingDelaySeconds: z
    .int()
    .min(0)
    .max(30 * 86_400),
  extendedPublicKeys: ExtendedPublicKeys,
  /**
   * The first six or eight digits of new card numbers, unless another of the Program's BINs is
   * asked for. Cards that were issued keep theirs.
   */
  cardBin: bin,
  /** Further BINs that a Card can be issued with. */
  moreBins: z.array(bin).readonly().optional(),
  /** Whether an authorization can be approved for less, if the terminal supports it. */
  partialApproval: z.boolean(),
  /** Whether purchases without the card require a one-time passcode. */
  threeDSecure: z.boolean(),
  /** Whether a Card that expires within 45 days gets another plastic by itself, once. */
  autoRenew: z.boolean().optional(),
  /** Whether endpoints are told, once, of a Card that expires within 60 days. */
  renewalReminder: z.boolean().optional(),
  feeSchedule: FeeSchedule,
  /** IANA name of the time zone in which the Program's days begin. */
  timeZone: z.string(),
  /** Whether the Card is credited when a dispute is submitted, or on the tenth business day. */
  provisionalCreditAtOnce: z.boolean(),
  /**
   * Whether the network settles by files. A posting has the status 2 then, and 3 once a file names
   * it; else 3 at once. A change holds within a minute.
   */
  settlementFiles: z.boolean(),
  /** The account that collects the Program's deposits. No other Program can have it. */
  bankAccount: bankAccount.optional(),
  /** The hour of the Program's day at which payments go to the bank. Absent: each full hour. */
  cutOff: z.int().min(0).max(23).optional(),
  /** What a bank knows the Program by when it collects. */
  creditorId: z
    .string()
    .regex(/^[A-Z]{2}\d{2}[A-Z0-9]{3,31}$/, "must be a creditor identifier: DE98ZZZ09999999999")
    .optional(),
  /** The approval, limits and fee of payouts. They are replaced as a whole. */
  payouts: PayoutSettings.optional(),
  /** The limits and hold days of pulls. They are replaced as a whole. */
  pulls: PullSettings.optional(),
});
export type ProgramSettings = z.output<typeof ProgramSettings>;

const { shape } = ProgramSettings;

/** Without extended public keys, the Program uses those of the environment. */
export const NewProgramSettings = ProgramSettings.partial({ extendedPublicKeys: true }).extend({
  issuanceApproval: shape.issuanceApproval.default(IssuanceApproval.automatic),
  clearingDelaySeconds: shape.clearingDelaySeconds.default(86_400),
  // A test range.
  cardBin: shape.cardBin.default("400000"),
  partialApproval: shape.partialApproval.default(false),
  threeDSecure: shape.threeDSecure.default(false),
  feeSchedule: FeeScheduleInput.default([]),
  timeZone: timeZone.default("Etc/UTC"),
  provisionalCreditAtOnce: shape.provisionalCreditAtOnce.default(false),
  settlementFiles: shape.settlementFiles.default(false),
});
export type NewProgramSettings = z.output<typeof NewProgramSettings>;

/** Only the operator can change these. */
const platformSettings = { cardBin: true, moreBins: true, clearingDelaySeconds: true } as const;

/** A Program's settings. A Tenant cannot change the clearing delay and the BINs. */
export const ProgramSettingsView = ProgramSettings.omit({ cardBin: true, moreBins: true }).extend({
  autoRenew: z.boolean(),
  renewalReminder: z.boolean(),
  /** With which a Card can be issued. The first one is the default. */
  bins: z.array(bin).readonly(),
  /** What the Tenant has asked for in place of it: the operator has to approve it. */
  requestedBankAccount: z.string().optional(),
});
export type ProgramSettingsView = z.output<typeof ProgramSettingsView>;

/** The settings that a Tenant can choose for a new Program. */
export const RequestedSettings = NewProgramSettings.omit(platformSettings);

/** The settings that a Tenant can change. Omitted settings stay unchanged. */
export const ProgramSettingsUpdate = ProgramSettings.omit(platformSettings)
  .extend({ feeSchedule: FeeScheduleInput, timeZone })
  .partial();

/** A Card's `cardType` refers to a slot. */
export const designSlots = [0, 1, 2] as const;

export const ProgramCreate = z.object({
  name: prose(100),
  /** The currency of all its Cards and Wallets. It cannot be changed. */
  currency: integerEnum(Currency),
  settings: RequestedSettings.prefault({}),
});

export const ProgramView = z.object({
  programId: id("program"),
  name: z.string(),
  currency: integerEnum(Currency),
  /** The Program's default Wallet. */
  walletId: id("wallet"),
  dateCreated: timestamp,
});
export type ProgramView = z.output<typeof ProgramView>;

const imageUrl = z.url({ protocol: /^https$/, hostname: z.regexes.domain }).max(2048);
const designFields = { name: prose(100), imageUrl: imageUrl.optional() };

export const CardDesignSubmit = z.object({ cardType: z.literal(designSlots), ...designFields });
export const CardDesignResubmit = z.object(designFields);

export const CardDesignView = z.object({
  cardType: z.literal(designSlots),
  name: z.string(),
  imageUrl: z.string().optional(),
  status: integerEnum(DesignStatus),
  /** Why the design was rejected. */
  rejectionReason: z.string().optional(),
  dateSubmitted: timestamp,
  dateReviewed: timestamp.optional(),
});
export type CardDesignView = z.output<typeof CardDesignView>;

const route = routesWith({ api: "platform", function: "account", level: "tenant" });

export const accountProgramRoutes = [
  route("GET /account/programs", "read listPrograms", "List the Tenant's Programs", {
    query: listQuery(["programId", "name", "dateCreated"], {}),
    items: ProgramView,
  }),
  route("POST /account/programs", "write createProgram", "Create a Program with its default Wallet", {
    creates: true,
    body: ProgramCreate,
    data: ProgramView,
  }),
  route("GET /account/programs/{programId}", "read viewProgram", "View a Program", { data: ProgramView }),
  route("GET /account/programs/{programId}/settings", "read viewSettings", "View a Program's settings", {
    data: ProgramSettingsView,
  }),
  route("PUT /account/programs/{programId}/settings", "write updateSettings", "Change a Program's settings", {
    body: ProgramSettingsUpdate,
    data: ProgramSettingsView,
    mayWait: true,
  }),
  route(
    "GET /account/programs/{programId}/card-designs",
    "read listCardDesigns",
    "List a Program's card designs",
    {
      query: listQuery(["cardType", "dateSubmitted"], {}, { orderBy: "cardType", sort: "asc" }),
      items: CardDesignView,
    },
  ),
  route(
    "POST /account/programs/{programId}/card-designs",
    "write submitCardDesign",
    "Submit a card design for an empty slot",
    { creates: true, body: CardDesignSubmit, data: CardDesignView, errors: ["ILLEGAL_TRANSITION"] },
  ),
  route(
    "PUT /account/programs/{programId}/card-designs/{cardType}",
    "write resubmitCardDesign",
    "Resubmit a rejected card design",
    {
      parameters: { cardType: z.string().regex(/^[0-2]$/) },
      body: CardDesignResubmit,
      data: CardDesignView,
      errors: ["ILLEGAL_TRANSITION"],
    },
  ),
];
