import * as z from "zod";
import { id, listQuery, prose, timestamp } from "./primitives.ts";
import { routesWith } from "./route.ts";

export const EvidenceStatus = z.enum(["pending", "uploaded", "rejected"]);
export type EvidenceStatus = z.output<typeof EvidenceStatus>;

export const EvidenceContentType = z.enum(["image/jpeg", "image/png", "application/pdf"]);
export type EvidenceContentType = z.output<typeof EvidenceContentType>;

export const EvidenceRejection = z.enum([
  "too_large",
  "other_type",
  "malformed",
  "encrypted",
  "active_content",
  "not_uploaded",
]);
export type EvidenceRejection = z.output<typeof EvidenceRejection>;

export const largestEvidenceBytes = 10 * 1024 * 1024;
/** A dispute takes no more in all: rejected ones count. */
export const mostEvidence = 50;
export const uploadSeconds = 30 * 60;
/** Two years after the end of the longest dispute, which takes less than one. */
export const keptEvidenceDays = 1_095;

export const EvidenceCreate = z.object({
  /** Only shown: the file is stored under another name. Without a folder. */
  fileName: prose(255).refine((name) => !/[/\\]/.test(name), "must not contain / or \\"),
  /** The upload must have the same `Content-Type`. */
  contentType: EvidenceContentType,
});

export const EvidenceUpload = z.object({
  evidenceId: id("evidence"),
  /** Takes a PUT with the file as its body. */
  uploadUrl: z.url(),
  expiresAt: timestamp.describe("When the URL ends (ISO 8601, UTC)."),
});

export const EvidenceView = z.object({
  evidenceId: id("evidence"),
  status: EvidenceStatus,
  fileName: z.string(),
  contentType: EvidenceContentType,
  /** In bytes. */
  size: z.int().optional(),
  /** The hash of the stored file, in hexadecimal. */
  sha256: z.string().optional(),
  reason: EvidenceRejection.optional().describe("Why it was rejected. Absent otherwise."),
  dateCreated: timestamp,
  dateUploaded: timestamp.optional(),
});
export type EvidenceView = z.output<typeof EvidenceView>;

export const EvidenceDownload = EvidenceView.extend({
  /** Valid for five minutes. Only uploaded evidence has it. */
  downloadUrl: z.url().optional(),
});

const route = routesWith({ api: "platform", function: "disputes" });

export const evidenceRoutes = [
  route("POST /disputes/{disputeId}/evidence", "write addEvidence", "Add evidence to a dispute", {
    creates: "evidenceId",
    body: EvidenceCreate,
    data: EvidenceUpload,
    errors: ["ILLEGAL_TRANSITION", "LIMIT_REACHED"],
  }),
  route("GET /disputes/{disputeId}/evidence", "read listEvidence", "List a dispute's evidence", {
    query: listQuery(["dateCreated"], {}),
    items: EvidenceView,
  }),
  route("GET /disputes/{disputeId}/evidence/{evidenceId}", "read viewEvidence", "View a piece of evidence", {
    data: EvidenceDownload,
  }),
] as const;
