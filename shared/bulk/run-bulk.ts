import * as z from "zod";
import type { ResultStatus } from "../contract/bulk.ts";
import type { OutboxEvent } from "../contract/outbox.ts";
import type { Line } from "../contract/route.ts";
import { monotonicMs } from "../platform/clock.ts";
import { ApiError } from "../platform/http/api-error.ts";
import { publicError } from "../platform/http/response.ts";
import { newId } from "../platform/id.ts";
import { inLanes } from "../platform/in-lanes.ts";
import { findHolder } from "../platform/labels.ts";
import { log } from "../platform/log.ts";
import { readBatch } from "../platform/table/batch.ts";
import { DoneBeforeError, transact, type WriteAction, withOnce } from "../platform/table/transact.ts";
import { type Bulk, bulks, endBulk } from "./bulk.ts";
import { readLines } from "./lines.ts";
import { findExternalId, makers, type ReadLine } from "./make-line.ts";
import { bulkResults, resultCreate, type StoredResult, toError } from "./result.ts";

const Step = z.object({ bulkId: z.string() });
type Step = z.output<typeof Step>;

/** The rest of an invocation is for the lines under way. */
const maximumWorkMs = 8_000;
/** So many lines at a time; then it is noted how far the bulk is. */
const linesInPart = 32;
const lanes = 16;

/**
 * Takes one step, and returns the next one. Each line's result is in the transaction that makes it:
 * a repeated or killed step does no line twice.
 */
export async function runBulk(event: OutboxEvent, workMs = maximumWorkMs): Promise<Step | undefined> {
  const { programId } = event;
  const step = Step.parse(event.detail);
  let bulk = await bulks.at(programId, step.bulkId).require();
  if (bulk.status === "done") return undefined;
  const endsAtMs = monotonicMs() + workMs;
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
