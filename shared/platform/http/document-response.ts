import type { APIGatewayProxyResult } from "aws-lambda";
import { binaryFormats, type Document, type DocumentFormat, mediaTypes } from "../../contract/route.ts";
import { baseHeaders } from "./response.ts";

/** A document in the format that the caller accepts. */
export function toDocumentResponse(
  format: DocumentFormat,
  { document, fileName }: Document,
  requestId: string,
): APIGatewayProxyResult {
  const mediaType = mediaTypes[format];
  const headers = {
    ...baseHeaders(requestId),
    "Content-Type": binaryFormats.has(format) ? mediaType : `${mediaType}; charset=utf-8`,
    "Content-Disposition": `attachment; filename="${fileName}"`,
  };
  if (!binaryFormats.has(format)) {
    const body = typeof document === "string" ? document : Buffer.from(document).toString("utf8");
    return { statusCode: 200, headers, body };
  }
  return {
    statusCode: 200,
    headers,
    body: Buffer.from(document as Uint8Array).toString("base64"),
    isBase64Encoded: true,
  };
}
