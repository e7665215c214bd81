import { gunzipSync } from "node:zlib";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { type Line, maximumLineBytes, maximumLines } from "../../contract/route.ts";
import { ApiError, invalid } from "./api-error.ts";
import { isInUtf8, readHeader } from "./header.ts";

const mediaType = "application/x-ndjson";

/**
 * JSON lines, without blank ones. CRLF and a byte order mark are fine. API Gateway hands over a
 * little less than Lambda takes, in base64: what is longer comes compressed.
 * @throws ApiError MALFORMED_BODY for another content type, and for what is not UTF-8;
 * PAYLOAD_TOO_LARGE; VALIDATION_FAILED for no line, and for too many
 */
export function readLines(event: APIGatewayProxyEvent): {
  readonly value: readonly Line[];
  readonly faults: [];
  readonly malformed?: false;
} {
  requireMediaType(event);
  const value = toText(readBytes(event))
    .split("\n")
    .map((text, index) => ({ line: index + 1, text: text.replace(/\r$/, "") }))
    .filter(({ text }) => text.trim() !== "");
  if (value.length === 0) throw invalid("body", "too_small", "must have a line");
  if (value.length > maximumLines)
    throw invalid("body", "too_big", `must have at most ${maximumLines} lines`);
  return { value, faults: [] };
}

const malformed = (code: string, message: string, path = "body") =>
  new ApiError("MALFORMED_BODY", [{ path, code, message }]);

function requireMediaType({ headers }: APIGatewayProxyEvent): void {
  const [type = ""] = (readHeader(headers, "content-type") ?? "").split(";");
  if (type.trim().toLowerCase() === mediaType && isInUtf8(headers)) return;
  throw malformed("invalid_type", `must be ${mediaType}`, "header.Content-Type");
}

/** @throws ApiError PAYLOAD_TOO_LARGE, also if only the text that is compressed is */
function readBytes({ body, isBase64Encoded, headers }: APIGatewayProxyEvent): Uint8Array {
  const sent = Buffer.from(body ?? "", isBase64Encoded ? "base64" : "utf8");
  const encoding = readHeader(headers, "content-encoding")?.trim().toLowerCase() || "identity";
  if (encoding !== "gzip" && encoding !== "identity")
    throw malformed("invalid_encoding", "must be gzip or identity", "header.Content-Encoding");
  const bytes = encoding === "gzip" ? inflate(sent) : sent;
  if (bytes.length > maximumLineBytes) throw new ApiError("PAYLOAD_TOO_LARGE");
  return bytes;
}

function inflate(sent: Uint8Array): Uint8Array {
  try {
    return gunzipSync(sent, { maxOutputLength: maximumLineBytes + 1 });
  } catch (error) {
    if (error instanceof RangeError) throw new ApiError("PAYLOAD_TOO_LARGE");
    throw malformed("invalid_gzip", "must be gzip, as its Content-Encoding says");
  }
}

function toText(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw malformed("invalid_utf8", "must be UTF-8");
  }
}
