import * as z from "zod";
import { ProgramSettingsUpdate, ProgramSettingsView, RequestedSettings } from "./account-settings.ts";
import { Currency, DesignStatus } from "./enums.ts";
import { id, integerEnum, listQuery, text, timestamp } from "./primitives.ts";
import { route } from "./route.ts";

/** The slots of a Program that a Card's `cardType` names. */
export const designSlots = [0, 1, 2] as const;

export const ProgramCreate = z.object({
  name: text(100),
  /** Of all its Cards and Wallets; it never changes. */
  currency: integerEnum(Currency),
  settings: RequestedSettings.prefault({}),
});

export const ProgramView = z.object({
  programId: id("program"),
  name: z.string(),
  currency: integerEnum(Currency),
  /** The Wallet that was created with the Program. */
  walletId: id("wallet"),
  dateCreated: timestamp,
});
export type ProgramView = z.output<typeof ProgramView>;

const imageUrl = z.url({ protocol: /^https$/, hostname: z.regexes.domain }).max(2048);
const designFields = { name: text(100), imageUrl: imageUrl.optional() };

export const CardDesignSubmit = z.object({ cardType: z.literal(designSlots), ...designFields });
export const CardDesignResubmit = z.object(designFields);

export const CardDesignView = z.object({
  cardType: z.literal(designSlots),
  name: z.string(),
  imageUrl: z.string().optional(),
  status: integerEnum(DesignStatus),
  /** Why it was Rejected. */
  rejectionReason: z.string().optional(),
  dateSubmitted: timestamp,
  dateReviewed: timestamp.optional(),
});
export type CardDesignView = z.output<typeof CardDesignView>;

const common = { api: "platform", function: "account", level: "tenant" } as const;

export const accountProgramRoutes = [
  route({
    ...common,
    method: "GET",
    path: "/account/programs",
    summary: "List the Tenant's Programs",
    answer: "list",
    query: listQuery(["programId", "name", "dateCreated"], { orderBy: "dateCreated", sort: "desc" }, {}),
    response: ProgramView,
    errors: [],
  }),
  route({
    ...common,
    method: "POST",
    path: "/account/programs",
    summary: "Create a Program with its default Wallet",
    answer: "detail",
    body: ProgramCreate,
    response: ProgramView,
    errors: [],
  }),
  route({
    ...common,
    method: "GET",
    path: "/account/programs/{programId}",
    summary: "View a Program",
    answer: "detail",
    response: ProgramView,
    errors: ["NOT_FOUND"],
  }),
  route({
    ...common,
    method: "GET",
    path: "/account/programs/{programId}/settings",
    summary: "View a Program's settings",
    answer: "detail",
    response: ProgramSettingsView,
    errors: ["NOT_FOUND"],
  }),
  route({
    ...common,
    method: "PUT",
    path: "/account/programs/{programId}/settings",
    summary: "Change any of a Program's settings",
    answer: "detail",
    body: ProgramSettingsUpdate,
    response: ProgramSettingsView,
    errors: ["NOT_FOUND"],
  }),
  route({
    ...common,
    method: "GET",
    path: "/account/programs/{programId}/card-designs",
    summary: "List the card designs in a Program's slots",
    answer: "list",
    query: listQuery(["cardType", "dateSubmitted"], { orderBy: "cardType", sort: "asc" }, {}),
    response: CardDesignView,
    errors: ["NOT_FOUND"],
  }),
  route({
    ...common,
    method: "POST",
    path: "/account/programs/{programId}/card-designs",
    summary: "Submit a card design for an empty slot",
    answer: "detail",
    body: CardDesignSubmit,
    response: CardDesignView,
    errors: ["NOT_FOUND", "ILLEGAL_TRANSITION"],
  }),
  route({
    ...common,
    method: "PUT",
    path: "/account/programs/{programId}/card-designs/{cardType}",
    summary: "Resubmit a card design that was Rejected",
    answer: "detail",
    parameters: { cardType: z.string().regex(/^[0-2]$/) },
    body: CardDesignResubmit,
    response: CardDesignView,
    errors: ["NOT_FOUND", "ILLEGAL_TRANSITION"],
  }),
];
