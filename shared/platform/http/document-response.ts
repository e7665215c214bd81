import type { APIGatewayProxyResult } from "aws-lambda";
import { type Document, type DocumentFormat, mediaTypes } from "../../contract/route.ts";
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
    "Content-Type": format === "pdf" ? mediaType : `${mediaType}; charset=utf-8`,
    "Content-Disposition": `attachment; filename="${fileName}"`,
  };
  return { statusCode: 200, headers, body: document };
}
