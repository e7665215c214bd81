import { createHash } from "node:crypto";
import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import * as z from "zod";
import {
  type EvidenceRejection,
  keptEvidenceDays,
  largestEvidenceBytes,
} from "../../shared/contract/evidence.ts";
import {
  type Evidence,
  evidence,
  evidenceKey,
  evidenceTransitions,
  pendingUntil,
} from "../../shared/disputes/evidence.ts";
import { now, timestamp, unixSeconds } from "../../shared/platform/clock.ts";
import { environment } from "../../shared/platform/environment.ts";
import { evidenceBucket } from "../../shared/platform/file-store.ts";
import { log } from "../../shared/platform/log.ts";
import { type CreatedObject, createdObject } from "../../shared/platform/object-created.ts";
import { consumeBatch } from "../../shared/platform/queue/consume-batch.ts";
import { sendMessages } from "../../shared/platform/queue/send-messages.ts";
import { nextStep } from "../../shared/platform/queue/steps.ts";
import { any, atMost, isNew, oneOf } from "../../shared/platform/table/condition.ts";
import { defineEntity } from "../../shared/platform/table/entity.ts";
import { findStep } from "../../shared/platform/table/transition.ts";
import { inspect } from "./inspect.ts";

/** More than an invocation takes: nothing is accepted after it has ended. */
const lastMinuteMs = 60_000;

/**
 * Accepts or rejects the first upload of a piece of evidence, and deletes what was uploaded. The
 * bytes that were checked and hashed are written, under a key that has their hash: a later or a
 * simultaneous upload changes none of it. False if the Program's share is taken: it must come back.
 */
async function checkUpload(object: CreatedObject): Promise<boolean> {
  const { key, etag } = object;
  const piece = await findPiece(key);
  if (piece?.status === "pending" && now().getTime() < pendingUntil(piece).getTime() - lastMinuteMs)
    return withinPlaces(piece.programId, () => checkPiece(piece, object));
  await evidenceBucket.delete(key, { etag });
  return true;
}

async function checkPiece(piece: Evidence, { key, size, etag }: CreatedObject): Promise<void> {
  const bytes = size > largestEvidenceBytes ? undefined : await evidenceBucket.read(key, { etag });
  // Replaced: the newer upload has its own event.
  if (bytes === undefined && size <= largestEvidenceBytes) return;
  const reason = bytes === undefined ? "too_large" : inspect(bytes, piece.contentType);
  await (reason === undefined && bytes ? accept(piece, bytes) : reject(piece, size, reason));
  await evidenceBucket.delete(key, { etag });
}

async function findPiece(key: string): Promise<Evidence | undefined> {
  const [folder, programId, disputeId, evidenceId, ...more] = key.split("/");
  if (folder === "uploads" && programId && disputeId && evidenceId && more.length === 0)
    return evidence.at(programId, disputeId, evidenceId).get();
  log.warn("An object is no upload.", { file: key });
  return undefined;
}

async function accept(piece: Evidence, bytes: Uint8Array): Promise<void> {
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const until = new Date(now().getTime() + keptEvidenceDays * 86_400_000);
  const lock = { mode: environment.evidenceLock, until };
  await evidenceBucket.write(evidenceKey(piece, sha256), bytes, piece.contentType, lock);
  await decide(piece, "accept", { size: bytes.length, sha256, uploadedAt: timestamp() });
}

async function reject(piece: Evidence, size: number, reason: EvidenceRejection | undefined): Promise<void> {
  await decide(piece, "reject", { size, ...(reason && { reason }) });
}

/** Once: a repeated or a second upload finds it decided. */
async function decide(
  { programId, disputeId, entityId }: Evidence,
  trigger: "accept" | "reject",
  decision: Partial<Evidence>,
): Promise<void> {
  const at = evidence.at(programId, disputeId, entityId);
  const { from, to: status } = findStep(evidenceTransitions, trigger);
  const { updated } = await at.updateNow({ set: { ...decision, status } }, { status: oneOf(from) });
  const { reason } = decision;
  if (updated) log.info("Evidence was checked.", { evidenceId: entityId, status, reason });
}

/** So many checks of a Program run at once. More wait, and delay nobody else. */
const placesOfProgram = 2;
/** Longer than an invocation takes: one that was ended gives its place back. */
const leaseMs = 40_000;

const Place = z.object({ leasedUntil: z.string(), expiresAtSeconds: z.int() });
const places = defineEntity({
  name: "place",
  schema: Place,
  key: (programId: string, place: number) => ({ pk: `${programId}#SLOTS#EVIDENCE-${place}`, sk: "SLOTS" }),
});

/** Runs it within the Program's share. False if all of that is taken: it has not run. */
export async function withinPlaces(programId: string, run: () => Promise<void>): Promise<boolean> {
  for (let place = 0; place < placesOfProgram; place += 1) {
    const leasedUntil = await take(programId, place);
    if (leasedUntil === undefined) continue;
    try {
      await run();
      return true;
    } finally {
      await leave(programId, place, leasedUntil);
    }
  }
  return false;
}

async function take(programId: string, place: number): Promise<string | undefined> {
  const at = now();
  const leasedUntil = timestamp(new Date(at.getTime() + leaseMs));
  const { updated } = await places
    .at(programId, place)
    .updateNow(
      { set: { leasedUntil, expiresAtSeconds: unixSeconds(at) + 86_400 } },
      any<z.output<typeof Place>>(isNew, { leasedUntil: atMost(timestamp(at)) }),
    );
  return updated ? leasedUntil : undefined;
}

/** Only its own: after the lease, another check may have the place. */
async function leave(programId: string, place: number, leasedUntil: string): Promise<void> {
  await places.at(programId, place).updateNow({ set: { leasedUntil: timestamp() } }, { leasedUntil });
}

const longestWaitSeconds = 30;

/** S3's event, and how often it has come back to the queue. */
interface Upload {
  readonly waits?: number;
}

/** What is over its Program's share comes back, each time a second later. */
export function consumeUploads(event: SQSEvent): Promise<SQSBatchResponse> {
  return consumeBatch(event, async ({ body }) => {
    const upload = JSON.parse(body) as Upload;
    if (await checkUpload(createdObject(upload))) return;
    const waits = nextStep(upload.waits);
    const delaySeconds = Math.min(waits, longestWaitSeconds);
    await sendMessages(environment.evidenceQueueUrl, [{ body: { ...upload, waits }, delaySeconds }]);
  });
}
