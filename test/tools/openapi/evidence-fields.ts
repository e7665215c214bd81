import type { Field } from "./field-descriptions.ts";

/** Of evidence. */
export const evidenceFields: Readonly<Record<string, Field>> = {
  evidenceId: ["The piece of evidence's id.", "evd_01J9ZC3P2V8Q4N6T0B5W7XKD1M"],
  fileName: ["The file's name, without a folder. It is only shown.", "receipt.png"],
  contentType: ["The file's type. The upload must have it as its `Content-Type`.", "image/png"],
  uploadUrl: [
    "Takes the file as the body of a `PUT`, for 30 minutes. Who has it can upload.",
    "https://evidence.s3.eu-west-1.amazonaws.com/uploads/redacted",
  ],
  downloadUrl: [
    "Returns the file, for five minutes. Only for `uploaded`.",
    "https://evidence.s3.eu-west-1.amazonaws.com/evidence/redacted",
  ],
  size: ["The file's size in bytes. Absent until it is checked.", 48_213],
  sha256: ["The SHA-256 of the stored file, in hexadecimal. Only for `uploaded`.", "0".repeat(64)],
  dateUploaded: ["When the file was accepted (ISO 8601, UTC).", "2026-07-09T07:00:00.000Z"],
};
