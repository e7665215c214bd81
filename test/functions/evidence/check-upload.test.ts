import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PutObjectCommand } from "@aws-sdk/client-s3";
import { describe, expect, it } from "vitest";
import { withinPlaces } from "../../../functions/evidence/check-upload.ts";
import { largestEvidenceBytes } from "../../../shared/contract/evidence.ts";
import { type Evidence, evidence, evidenceKey, uploadKey } from "../../../shared/disputes/evidence.ts";
import { timestamp } from "../../../shared/platform/clock.ts";
import { newId } from "../../../shared/platform/id.ts";
import { injectFaults } from "../../harness/faults.ts";
import { png } from "../../harness/given-documents.ts";
import { type GivenObjects, givenObjects } from "../../harness/given-objects.ts";
import { startQueueRecorder } from "../../harness/queue-recorder.ts";
import { handOver } from "./hand-over.ts";

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

async function givenPiece(more: Partial<Evidence> = {}) {
  const objects = await givenObjects();
  const piece: Evidence = {
    programId: newId("program"),
    disputeId: newId("event"),
    entityId: newId("evidence"),
    status: "pending",
    fileName: "receipt.png",
    contentType: "image/png",
    createdAt: timestamp(),
    expiresAtSeconds: 4_000_000_000,
    ...more,
  };
  const stored = evidence.at(piece.programId, piece.disputeId, piece.entityId);
  await stored.createNow(piece);
  const key = uploadKey(piece);
  return {
    piece,
    key,
    objects,
    read: () => stored.get(),
    upload: async (bytes: Uint8Array) => {
      await objects.s3.send(new PutObjectCommand({ Bucket: "evidence", Key: key, Body: bytes }));
      return objects.messageOf(key);
    },
    isUploaded: () => objects.isThere("evidence", key),
    accepted: (bytes: Uint8Array) => readAccepted(objects, evidenceKey(piece, sha256(bytes))),
  };
}

function readAccepted({ directory }: GivenObjects, key: string): Buffer {
  return readFileSync(join(directory, "evidence", key));
}

describe("an upload of evidence", () => {
  it("is accepted once, with the hash of the bytes that are kept, and deleted", async () => {
    const { upload, read, isUploaded, accepted } = await givenPiece();
    const message = await upload(png());
    expect(await handOver(message)).toBe(true);
    const checked = { status: "uploaded", size: png().length, sha256: sha256(png()) };
    expect(await read()).toMatchObject({ ...checked, uploadedAt: expect.any(String) });
    expect(accepted(png())).toEqual(png());
    expect(isUploaded()).toBe(false);
    const before = await read();
    expect(await handOver(message)).toBe(true);
    expect(await read()).toEqual(before);
  });

  it("changes nothing any more if it is repeated with other bytes", async () => {
    const { upload, read, isUploaded, accepted } = await givenPiece();
    await handOver(await upload(png()));
    const before = await read();
    expect(await handOver(await upload(png(9, 9)))).toBe(true);
    expect(await read()).toEqual(before);
    expect(accepted(png())).toEqual(png());
    expect(isUploaded()).toBe(false);
  });

  it("is what its hash says, also if two are checked at the same moment", async () => {
    for (let round = 0; round < 5; round += 1) {
      const { upload, read, accepted } = await givenPiece();
      const first = await upload(png(2, 2));
      const [, second] = await Promise.all([handOver(first), upload(png(3, 3)).then(handOver)]);
      expect(second).toBe(true);
      await handOver(first);
      const { sha256: stored, status } = (await read()) ?? {};
      expect(status).toBe("uploaded");
      const bytes = [png(2, 2), png(3, 3)].find((one) => sha256(one) === stored) ?? Buffer.alloc(0);
      expect(accepted(bytes)).toEqual(bytes);
    }
  });

  it("is rejected with a reason for good, and deleted", async () => {
    const { upload, read, isUploaded } = await givenPiece();
    await handOver(await upload(Buffer.from("<html>")));
    expect(await read()).toMatchObject({ status: "rejected", reason: "other_type", size: 6 });
    expect(isUploaded()).toBe(false);
    await handOver(await upload(png()));
    expect(await read()).toMatchObject({ status: "rejected", reason: "other_type" });
    expect(isUploaded()).toBe(false);
  });

  it("of more than 10 MB is rejected unread", async () => {
    const { upload, read, isUploaded } = await givenPiece();
    const message = await upload(Buffer.alloc(largestEvidenceBytes + 1));
    expect(await handOver(message)).toBe(true);
    expect(await read()).toMatchObject({ status: "rejected", reason: "too_large" });
    expect(isUploaded()).toBe(false);
  });

  it.each([
    ["Get", "server-error"],
    ["Update", "server-error"],
    ["Update", "timeout-after-commit"],
  ] as const)("is checked by the next attempt, too, after %s: %s", async (command, fault) => {
    const { upload, read, isUploaded, accepted } = await givenPiece();
    const message = await upload(png());
    {
      using _ = injectFaults((call) => (call.command === command ? fault : undefined));
      await handOver(message);
    }
    expect(await handOver(message)).toBe(true);
    expect(await read()).toMatchObject({ status: "uploaded", sha256: sha256(png()) });
    expect(accepted(png())).toEqual(png());
    expect(isUploaded()).toBe(false);
  });

  it("waits while two others of its Program are checked, and delays no other Program", async () => {
    const queues = await startQueueRecorder();
    const programId = newId("program");
    const pieces = await Promise.all(Array.from({ length: 8 }, () => givenPiece({ programId })));
    const other = await givenPiece();
    const messages = await Promise.all(pieces.map(({ upload }) => upload(png())));
    const checked = [...messages, await other.upload(png())].map((message) => handOver(message));
    expect(await Promise.all(checked)).not.toContain(false);
    expect(await other.read()).toMatchObject({ status: "uploaded" });
    let waiting = queues.take("evidence");
    expect(waiting.length).toBeGreaterThan(0);
    expect(new Set(waiting.map(({ delaySeconds }) => delaySeconds))).toEqual(new Set([1]));
    expect(await Promise.all(pieces.map(({ isUploaded }) => isUploaded()))).toContain(true);
    for (let wait = 2; waiting.length > 0; wait += 1) {
      await Promise.all(waiting.map(({ body }) => handOver(body)));
      waiting = queues.take("evidence");
      for (const { delaySeconds } of waiting) expect(delaySeconds).toBe(wait);
    }
    for (const { read } of pieces) expect(await read()).toMatchObject({ status: "uploaded" });
    queues.stop();
  });

  it("of a Program whose checks were ended comes back until their places are free", async () => {
    const queues = await startQueueRecorder();
    const { piece, upload, read } = await givenPiece();
    const message = await upload(png());
    const ended = withinPlaces(piece.programId, async () => {
      await withinPlaces(piece.programId, async () => {
        expect(await withinPlaces(piece.programId, async () => undefined)).toBe(false);
        expect(await handOver(message)).toBe(true);
        expect(await read()).toMatchObject({ status: "pending" });
        throw new Error("Ended.");
      });
    });
    await expect(ended).rejects.toThrow("Ended.");
    const [waiting] = queues.take("evidence");
    expect(await handOver(waiting?.body)).toBe(true);
    expect(await read()).toMatchObject({ status: "uploaded" });
    queues.stop();
  });

  it("that comes too late, or for no piece, is deleted", async () => {
    const minutesAgo = (minutes: number) => timestamp(new Date(Date.now() - minutes * 60_000));
    const late = await givenPiece({ createdAt: minutesAgo(89) });
    await handOver(await late.upload(png()));
    expect(await late.read()).toMatchObject({ status: "pending" });
    expect(late.isUploaded()).toBe(false);
    const inTime = await givenPiece({ createdAt: minutesAgo(88) });
    await handOver(await inTime.upload(png()));
    expect(await inTime.read()).toMatchObject({ status: "uploaded" });
    const { piece, objects } = inTime;
    const key = uploadKey({ ...piece, entityId: newId("evidence") });
    await objects.s3.send(new PutObjectCommand({ Bucket: "evidence", Key: key, Body: "1" }));
    expect(await handOver(objects.messageOf(key))).toBe(true);
    expect(objects.isThere("evidence", key)).toBe(false);
  });
});
