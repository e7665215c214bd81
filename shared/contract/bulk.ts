import * as z from "zod";
import { CardholderCreate } from "./cardholders.ts";
import { cardFields, withCardRules } from "./cards.ts";
import { externalId, id, listQuery, text, timestamp } from "./primitives.ts";
import { routesWith } from "./route.ts";

/** So many run at once in a Program. */
export const maximumBulks = 5;

/** `externalId` makes a line safe to repeat. */
export const CardholderLine = CardholderCreate.safeExtend({
  externalId,
  /** Submits the Cardholder for compliance review at once. */
  submit: z.boolean().default(false),
  /** As in `POST /cardholders/{cardholderId}/submit`. */
  kycToken: text(512).optional(),
});

export const CardLine = withCardRules(
  z.object({
    ...cardFields,
    externalId,
    cardholderId: text(64).optional(),
    /** In place of `cardholderId`. */
    cardholderExternalId: externalId.optional(),
  }),
).refine(
  ({ cardholderId, cardholderExternalId }) =>
    (cardholderId === undefined) !== (cardholderExternalId === undefined),
  { path: ["cardholderId"], message: "is required, unless cardholderExternalId is given in its place" },
);
export type CardLine = z.output<typeof CardLine>;

export const BulkKind = z.enum(["cardholders", "cards"]);
export type BulkKind = z.output<typeof BulkKind>;

export const BulkStatus = z.enum(["running", "done"]);

const begun = z.object({
  /** The bulk's id. */
  bulkId: id("bulk"),
  /** What its lines make. */
  kind: BulkKind,
  status: BulkStatus,
  /** Without blank ones. */
  lines: z.int(),
});

export const BulkView = begun.extend({
  /** How many lines have a result. */
  done: z.int(),
  /** Lines that have made something. */
  succeeded: z.int(),
  /** Lines whose `externalId` was there, with the same values. */
  duplicates: z.int(),
  /** Lines that have made nothing. */
  failed: z.int(),
  dateCreated: timestamp,
  /** When the last line was done. */
  dateDone: timestamp.optional(),
});
export type BulkView = z.output<typeof BulkView>;

/**
 * `succeeded`: it was made. `duplicate`: it was there, with the same values. `failed`: nothing was
 * made.
 */
export const ResultStatus = z.enum(["succeeded", "duplicate", "failed"]);
export type ResultStatus = z.output<typeof ResultStatus>;

export const BulkResult = z.object({
  /** Its place in the file, from 1. Blank lines count. */
  line: z.int(),
  status: ResultStatus,
  /** Absent where the line has none that is valid. */
  externalId: externalId.optional(),
  cardholderId: id("cardholder").optional(),
  cardId: id("card").optional(),
  /** What the endpoint of one would have answered. */
  error: z
    .object({
      code: z.string(),
      message: z.string(),
      errors: z.array(z.object({ path: z.string(), code: z.string(), message: z.string() })).optional(),
    })
    .optional(),
});
export type BulkResult = z.output<typeof BulkResult>;

const route = routesWith({ api: "platform", function: "bulk" });

const beginning = { creates: true, data: begun, errors: ["LIMIT_REACHED"] } as const;

export const bulkRoutes = [
  route("POST /cardholders/bulk", "write createCardholders", "Create Cardholders, one for each line", {
    ...beginning,
    lines: CardholderLine,
  }),
  route("POST /cards/bulk", "write issueCards", "Issue Cards, one for each line", {
    ...beginning,
    lines: CardLine,
  }),
  route("GET /bulk", "read listBulks", "List bulks", {
    query: listQuery(["dateCreated", "bulkId"], {
      kind: BulkKind.optional(),
      status: BulkStatus.optional(),
    }),
    items: BulkView,
  }),
  route("GET /bulk/{bulkId}", "read viewBulk", "View how far a bulk is", { data: BulkView }),
  route("GET /bulk/{bulkId}/results", "read listResults", "List the result of each line of a bulk", {
    query: listQuery(["line"], { status: ResultStatus.optional() }, { orderBy: "line", sort: "asc" }),
    items: BulkResult,
  }),
] as const;
