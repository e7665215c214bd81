import { isDeepStrictEqual } from "node:util";
import type * as z from "zod";
import { applicantFields, cardholders } from "../cardholders/cardholder.ts";
import { type Card, cards } from "../cards/card.ts";
import { type BulkKind, CardholderLine, CardLine } from "../contract/bulk.ts";
import type { CardholderCreate } from "../contract/cardholders.ts";
import type { CardCreate } from "../contract/cards.ts";
import { CardForm } from "../contract/enums.ts";
import type { Metadata } from "../contract/primitives.ts";
import { hashChoices } from "../issuing/chosen.ts";
import { createCardholder } from "../issuing/create-cardholder.ts";
import { issueCard } from "../issuing/issue-card.ts";
import { newReview, submission } from "../issuing/submission.ts";
import { ApiError } from "../platform/http/api-error.ts";
import type { ProgramScope } from "../platform/http/request.ts";
import { readJson } from "../platform/http/serve-request.ts";
import { findHolder, readMetadata } from "../platform/labels.ts";
import { readConnection } from "../tenancy/connections/program-connections.ts";

interface LineRequest {
  readonly scope: ProgramScope;
  readonly requestId: string;
  readonly text: string;
}

/** A line that says what it wants. */
export interface ReadLine {
  readonly externalId: string;
  /** In one transaction, the first of the work. */
  readonly make: (id: string) => Promise<unknown>;
  /** Whether what has the `externalId` is what the line wants. */
  readonly isSame: (existingId: string) => Promise<boolean>;
}

interface Maker {
  readonly idKind: "cardholder" | "card";
  readonly idName: "cardholderId" | "cardId";
  /** @throws ApiError for a line that is wrong */
  readonly read: (request: LineRequest) => Promise<ReadLine>;
}

export const makers: Readonly<Record<BulkKind, Maker>> = {
  cardholders: {
    idKind: "cardholder",
    idName: "cardholderId",
    read: async ({ scope, text }) => {
      const { submit, kycToken, ...body } = parseLine(CardholderLine, text);
      const { programId } = scope;
      return {
        externalId: body.externalId,
        make: async (cardholderId) => {
          if (!submit) return createCardholder({ scope, body }, cardholderId);
          // The provider is asked from the event, as for one that was down.
          const review = newReview(cardholderId, await readConnection(programId, "compliance"));
          return createCardholder({ scope, body }, cardholderId, (draft) =>
            submission(programId, draft, review, kycToken),
          );
        },
        isSame: (existingId) => isSameCardholder(programId, existingId, body),
      };
    },
  },
  cards: {
    idKind: "card",
    idName: "cardId",
    read: async ({ scope, requestId, text }) => {
      const line = parseLine(CardLine, text);
      const { programId } = scope;
      const body = await toCardCreate(programId, line);
      return {
        externalId: line.externalId,
        make: (cardId) => issueCard({ scope, requestId, body }, cardId),
        isSame: (existingId) => isSameCard(programId, existingId, body),
      };
    },
  },
};

function parseLine<S extends z.ZodObject>(schema: S, text: string): z.output<S> {
  const { value, faults, malformed } = readJson(schema, text);
  if (malformed || faults.length > 0)
    throw new ApiError(malformed ? "MALFORMED_BODY" : "VALIDATION_FAILED", faults);
  return value as z.output<S>;
}

/** The `externalId` of a line, also of one that is wrong. */
export function findExternalId(text: string): string | undefined {
  try {
    const { externalId } = Object(JSON.parse(text)) as { externalId?: unknown };
    const parsed = CardLine.shape.externalId.safeParse(externalId);
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

/** @throws ApiError NOT_FOUND if no Cardholder has the `cardholderExternalId` */
async function toCardCreate(programId: string, { cardholderExternalId, cardholderId, ...card }: CardLine) {
  if (cardholderId !== undefined) return { ...card, cardholderId };
  const holder = await findHolder(programId, "cardholder", cardholderExternalId ?? "");
  if (holder) return { ...card, cardholderId: holder.recordId };
  const message = "is no Cardholder's externalId";
  throw new ApiError("NOT_FOUND", [{ path: "body.cardholderExternalId", code: "not_found", message }]);
}

async function isSameCardholder(programId: string, cardholderId: string, body: CardholderCreate) {
  const found = await cardholders.at(programId, cardholderId).get();
  if (!found) return false;
  const fields = [...applicantFields, "altKycEnabled", "externalId"] as const;
  const isSame = fields.every((field) => isDeepStrictEqual(found[field], body[field]));
  return isSame && hasSameMetadata(programId, { ...found, id: cardholderId }, body.metadata);
}

/** What is not given has its default, which is not compared: it depends on time and settings. */
async function isSameCard(programId: string, cardId: string, body: CardCreate): Promise<boolean> {
  const found = await cards.at(programId, cardId).get();
  if (!found) return false;
  const { nameOnCard, expiryMonth, expiryYear, bin } = body;
  const given = { nameOnCard, expiryMonth, expiryYear, bin };
  const isSame =
    found.cardholderId === body.cardholderId &&
    found.cardForm === body.cardForm &&
    found.cardType === body.cardType &&
    found.externalId === body.externalId &&
    found.chosenHash === hashChoices(body) &&
    Object.entries(given).every(
      ([field, value]) => value === undefined || found[field as keyof Card] === value,
    ) &&
    hasSameAddress(found, body);
  return isSame && hasSameMetadata(programId, { ...found, id: cardId }, body.metadata);
}

/** A virtual Card has none. The default of the recipient is the Cardholder's name. */
function hasSameAddress({ shippingAddress: stored }: Card, { cardForm, shippingAddress }: CardCreate) {
  if (cardForm === CardForm.virtual) return true;
  return isDeepStrictEqual({ recipient: stored?.recipient, ...shippingAddress }, stored);
}

async function hasSameMetadata(
  programId: string,
  { id, hasMetadata }: { readonly id: string; readonly hasMetadata?: true | undefined },
  given: Metadata = {},
): Promise<boolean> {
  const stored = hasMetadata ? await readMetadata(programId, id) : undefined;
  return isDeepStrictEqual({ ...stored }, { ...given });
}
