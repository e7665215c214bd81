import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { applicantFields, cardholders } from "../cardholders/cardholder.ts";
import { type Card, cards } from "../cards/card.ts";
import { type BulkKind, CardholderLine, CardLine, type ResultStatus } from "../contract/bulk.ts";
import type { CardholderCreate } from "../contract/cardholders.ts";
import type { CardCreate } from "../contract/cards.ts";
import { CardForm } from "../contract/enums.ts";
import type { OutboxEvent } from "../contract/outbox.ts";
import type { Metadata } from "../contract/primitives.ts";
import type { Line } from "../contract/route.ts";
import { hashChoices } from "../issuing/chosen.ts";
import { createCardholder } from "../issuing/create-cardholder.ts";
import { issueCard } from "../issuing/issue-card.ts";
import { newReview, submission } from "../issuing/submission.ts";
import { monotonicMs } from "../platform/clock.ts";
import { ApiError, missing } from "../platform/http/api-error.ts";
import type { ProgramScope } from "../platform/http/request.ts";
import { publicError } from "../platform/http/response.ts";
import { readJson } from "../platform/http/serve-request.ts";
import { newId } from "../platform/id.ts";
import { inLanes } from "../platform/in-lanes.ts";
import { findHolder, readMetadata } from "../platform/labels.ts";
import { log } from "../platform/log.ts";
import { readBatch } from "../platform/table/batch.ts";
import { DoneBeforeError, transact, type WriteAction, withOnce } from "../platform/table/transact.ts";
import { stepWorkMs } from "../platform/time-budget.ts";
import { readConnection } from "../tenancy/connections/connection-change.ts";
import { type Bulk, bulks, endBulk } from "./bulk.ts";
import { readLines } from "./lines.ts";
import { bulkResults, resultCreate, type StoredResult, toError } from "./result.ts";

const Step = z.object({ bulkId: z.string() });
type Step = z.output<typeof Step>;

/** So many lines at a time; then it is noted how far the bulk is. */
const linesInPart = 32;
const lanes = 16;

/**
 * Takes one step, and returns the next one. Each line's result is in the transaction that makes it:
 * a repeated or killed step does no line twice.
 */
export async function runBulk(event: OutboxEvent): Promise<Step | undefined> {
  const { programId } = event;
  const step = Step.parse(event.detail);
  let bulk = await bulks.at(programId, step.bulkId).require();
  if (bulk.status === "done") return undefined;
  const endsAtMs = monotonicMs() + stepWorkMs;
  const lines = bulk.done < bulk.lines ? await readLines({ programId, ...step }) : [];
  while (bulk.done < bulk.lines) {
    if (monotonicMs() >= endsAtMs) return step;
    bulk = await takePart(programId, bulk, lines);
  }
  await endBulk(programId, bulk);
  return undefined;
}

/** The bulk as it is after its next lines. */
async function takePart(programId: string, bulk: Bulk, lines: readonly Line[] | undefined): Promise<Bulk> {
  const { entityId: bulkId, done } = bulk;
  const count = Math.min(linesInPart, bulk.lines - done);
  const numbers = Array.from({ length: count }, (_, index) => done + index + 1);
  const keys = numbers.map((number) => bulkResults.key(programId, bulkId, number));
  const seen = new Map((await readBatch(keys)).map((item) => [item.sk, bulkResults.parse(item)]));
  const before = new Map<string, Promise<unknown>>();
  const work = numbers.map((number, index) => {
    const line = lines?.[number - 1];
    const found = seen.get(keys[index]?.sk);
    return { number, line, found };
  });
  const failures: unknown[] = [];
  const results = await inLanes(
    work,
    async ({ number, line, found }) => {
      if (found) return found.status;
      const externalId = line && findExternalId(line.text);
      // The first of those that have the same one comes first.
      const earlier = externalId === undefined ? undefined : before.get(externalId);
      const taken = Promise.resolve(earlier).then(() => takeLine(programId, bulk, number, line));
      if (externalId !== undefined)
        before.set(
          externalId,
          taken.catch(() => undefined),
        );
      return taken.catch((error: unknown) => void failures.push(error));
    },
    lanes,
  );
  if (failures.length > 0) throw failures[0];
  return advance(programId, bulk, results as ResultStatus[]);
}

/** As another process has left it, if it was faster. */
async function advance(programId: string, bulk: Bulk, results: readonly ResultStatus[]): Promise<Bulk> {
  const { entityId: bulkId, done } = bulk;
  const count = (status: ResultStatus) => results.filter((one) => one === status).length;
  const set = {
    done: done + results.length,
    succeeded: bulk.succeeded + count("succeeded"),
    duplicates: bulk.duplicates + count("duplicate"),
    failed: bulk.failed + count("failed"),
  };
  const outcome = await bulks.at(programId, bulkId).updateNow({ set }, { done });
  const stored = outcome.updated ? outcome.item : outcome.stored;
  if (!stored) throw new Error(`The bulk ${bulkId} is gone.`);
  log.info("Lines of a bulk are done.", { bulkId, ...set });
  return stored;
}

/** @throws Error if it can be tried again, and nothing was made */
async function takeLine(
  programId: string,
  { entityId: bulkId, kind, scope, requestId }: Bulk,
  number: number,
  line: Line | undefined,
): Promise<ResultStatus> {
  const { idKind, idName, read } = makers[kind];
  const externalId = line && findExternalId(line.text);
  const create = (result: Pick<StoredResult, "status"> & Partial<StoredResult>) =>
    resultCreate(programId, bulkId, number, { line: line?.line ?? number, externalId, ...result });
  if (!line) return keep(create, { status: "failed", error: toError(new ApiError("UNAVAILABLE")) });
  const id = newId(idKind);
  const once = { write: create({ status: "succeeded", [idName]: id }), isWritten: false };
  let wanted: ReadLine | undefined;
  try {
    wanted = await read({ scope, requestId, text: line.text });
    const { make } = wanted;
    await withOnce(once, () => make(id));
    return "succeeded";
  } catch (error) {
    if (once.isWritten) return "succeeded";
    if (error instanceof DoneBeforeError) return bulkResults.parse(error.stored)?.status ?? "succeeded";
    const refusal = publicError(error);
    if (refusal.code === "UNAVAILABLE") throw error;
    const existing = wanted && (await findHolder(programId, idKind, wanted.externalId));
    if (existing && (await wanted?.isSame(existing.recordId)))
      return keep(create, { status: "duplicate", [idName]: existing.recordId });
    const answer = existing ? new ApiError("EXTERNAL_ID_EXISTS", [], existing.recordId) : refusal;
    return keep(create, { status: "failed", error: toError(answer) });
  }
}

type Create = (result: Pick<StoredResult, "status"> & Partial<StoredResult>) => WriteAction;

/** The result that it has already, if another process was faster. */
async function keep(create: Create, result: Parameters<Create>[0]): Promise<ResultStatus> {
  const outcome = await transact([create(result)]);
  const found = outcome.committed ? undefined : outcome.failedConditions.get("bulk result");
  return bulkResults.parse(found)?.status ?? result.status;
}

interface LineRequest {
  readonly scope: ProgramScope;
  readonly requestId: string;
  readonly text: string;
}

/** A line that says what it wants. */
interface ReadLine {
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

const makers: Readonly<Record<BulkKind, Maker>> = {
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
function findExternalId(text: string): string | undefined {
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
  throw new ApiError("NOT_FOUND", missing({ cardholderExternalId: undefined }));
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
