import * as z from "zod";
import { Currency, DesignStatus } from "./enums.ts";
import { id, integerEnum, listQuery, text, timestamp } from "./primitives.ts";
import { ProgramSettingsUpdate, ProgramSettingsView, RequestedSettings } from "./program-settings.ts";
import { routesOf } from "./route.ts";

/** Card Design slots, named by a Card's `cardType`. */
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

const route = routesOf({ api: "platform", function: "account", level: "tenant" });

export const accountProgramRoutes = [
  route("GET /account/programs", "List the Tenant's Programs", {
    query: listQuery(["programId", "name", "dateCreated"], { orderBy: "dateCreated", sort: "desc" }, {}),
    items: ProgramView,
  }),
  route("POST /account/programs", "Create a Program with its default Wallet", {
    body: ProgramCreate,
    data: ProgramView,
  }),
  route("GET /account/programs/{programId}", "View a Program", { data: ProgramView, errors: ["NOT_FOUND"] }),
  route("GET /account/programs/{programId}/settings", "View a Program's settings", {
    data: ProgramSettingsView,
    errors: ["NOT_FOUND"],
  }),
  route("PUT /account/programs/{programId}/settings", "Change any of a Program's settings", {
    body: ProgramSettingsUpdate,
    data: ProgramSettingsView,
    errors: ["NOT_FOUND"],
  }),
  route("GET /account/programs/{programId}/card-designs", "List the card designs in a Program's slots", {
    query: listQuery(["cardType", "dateSubmitted"], { orderBy: "cardType", sort: "asc" }, {}),
    items: CardDesignView,
    errors: ["NOT_FOUND"],
  }),
  route("POST /account/programs/{programId}/card-designs", "Submit a card design for an empty slot", {
    body: CardDesignSubmit,
    data: CardDesignView,
    errors: ["NOT_FOUND", "ILLEGAL_TRANSITION"],
  }),
  route(
    "PUT /account/programs/{programId}/card-designs/{cardType}",
    "Resubmit a card design that was Rejected",
    {
      parameters: { cardType: z.string().regex(/^[0-2]$/) },
      body: CardDesignResubmit,
      data: CardDesignView,
      errors: ["NOT_FOUND", "ILLEGAL_TRANSITION"],
    },
  ),
];
