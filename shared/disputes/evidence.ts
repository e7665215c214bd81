import * as z from "zod";
import {
  EvidenceContentType,
  EvidenceRejection,
  EvidenceStatus,
  type EvidenceView,
  uploadSeconds,
} from "../contract/evidence.ts";
import { timestamp } from "../platform/clock.ts";
import { defineEntity } from "../platform/table/entity.ts";
import type { TransitionTable } from "../platform/table/transition.ts";

/** Every legal change. The first upload that is checked decides. */
export const evidenceTransitions = [
  { from: "pending", trigger: "accept", to: "uploaded" },
  { from: "pending", trigger: "reject", to: "rejected" },
] as const satisfies TransitionTable<EvidenceStatus, "accept" | "reject">;

const Evidence = z.object({
  programId: z.string(),
  disputeId: z.string(),
  /** As its `evidenceId`. */
  entityId: z.string(),
  status: EvidenceStatus,
  fileName: z.string(),
  contentType: EvidenceContentType,
  size: z.int().optional(),
  sha256: z.string().optional(),
  reason: EvidenceRejection.optional(),
  createdAt: z.string(),
  uploadedAt: z.string().optional(),
  expiresAtSeconds: z.int(),
});
export type Evidence = Readonly<z.output<typeof Evidence>>;

export const evidence = defineEntity({
  name: "evidence",
  schema: Evidence,
  /** Stored with the dispute. */
  key: (programId: string, disputeId: string, evidenceId: string) => ({
    pk: `${programId}#${disputeId}`,
    sk: `EVIDENCE#${evidenceId}`,
  }),
});

type Ids = Pick<Evidence, "programId" | "disputeId" | "entityId">;

/** Where a presigned URL puts the file. */
export const uploadKey = ({ programId, disputeId, entityId }: Ids) =>
  `uploads/${programId}/${disputeId}/${entityId}`;

/** Where it is once it is accepted. No URL writes here, and other bytes have another key. */
export const evidenceKey = ({ programId, disputeId, entityId }: Ids, sha256: string) =>
  `evidence/${programId}/${disputeId}/${entityId}/${sha256}`;

/** Uploads may begin just before their URL ends, and are then checked. */
const graceMs = 60 * 60_000;

/** When a piece that is still pending ends by itself. */
export function pendingUntil({ createdAt }: Pick<Evidence, "createdAt">): Date {
  return new Date(Date.parse(createdAt) + uploadSeconds * 1000 + graceMs);
}

/** The time of the last piece that was accepted. */
export function lastUploadedAt(pieces: readonly Evidence[]): string | undefined {
  return pieces
    .map(({ uploadedAt }) => uploadedAt)
    .filter((at) => at !== undefined)
    .toSorted()
    .at(-1);
}

export function toEvidenceView(piece: Evidence, at: Date): EvidenceView {
  const { entityId: evidenceId, fileName, contentType, size, sha256, createdAt, uploadedAt } = piece;
  const isLapsed = piece.status === "pending" && timestamp(at) >= timestamp(pendingUntil(piece));
  return {
    evidenceId,
    status: isLapsed ? "rejected" : piece.status,
    fileName,
    contentType,
    size,
    sha256,
    reason: isLapsed ? "not_uploaded" : piece.reason,
    dateCreated: createdAt,
    dateUploaded: uploadedAt,
  };
}
