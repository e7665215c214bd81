import type { APIGatewayProxyEvent } from "aws-lambda";
import type { Fault } from "../../contract/errors.ts";
import { type AnswerFormat, answerFormats, mediaTypes, type Route } from "../../contract/route.ts";
import { ApiError } from "./api-error.ts";
import { readHeader } from "./header.ts";

/** Checks `format` in the query, which `readQuery` wants once. */
export function formatFaults(route: Route, event: APIGatewayProxyEvent): Fault[] {
  const [format, ...more] = route.formats ? givenFormats(event) : [];
  if (format === undefined || more.length > 0 || answerFormats(route).some((one) => one === format))
    return [];
  const message = `must be one of ${answerFormats(route).join(", ")}`;
  return [{ path: "query.format", code: "invalid_value", message }];
}

/**
 * The caller's `format`, or the one that `Accept` prefers (RFC 9110): JSON if it does not matter.
 * @throws ApiError NOT_ACCEPTABLE
 */
export function chooseFormat(route: Route, event: APIGatewayProxyEvent): AnswerFormat {
  if (!route.formats) return "json";
  const [given] = givenFormats(event) as AnswerFormat[];
  const chosen = given ?? preferred(answerFormats(route), readAccept(event));
  if (!chosen) throw new ApiError("NOT_ACCEPTABLE");
  return chosen;
}

function givenFormats({ multiValueQueryStringParameters }: APIGatewayProxyEvent): readonly string[] {
  return multiValueQueryStringParameters?.format ?? [];
}

interface MediaRange {
  /** Such as `text/csv`, `text/*` or `*` + `/*`. */
  readonly range: string;
  /** 0 is not acceptable, 1 is best. */
  readonly quality: number;
}

function readAccept({ headers }: APIGatewayProxyEvent): MediaRange[] {
  const accept = readHeader(headers, "accept") ?? "";
  const ranges = accept.split(",").flatMap((part): MediaRange[] => {
    const [range = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase());
    const [, weight] = parameters.map((text) => /^q=([\d.]+)$/.exec(text)).find(Boolean) ?? [];
    return range === "" ? [] : [{ range, quality: weight === undefined ? 1 : Number(weight) || 0 }];
  });
  return ranges.length > 0 ? ranges : [{ range: "*/*", quality: 1 }];
}

function preferred(
  formats: readonly AnswerFormat[],
  ranges: readonly MediaRange[],
): AnswerFormat | undefined {
  let best: { readonly format: AnswerFormat; readonly quality: number } | undefined;
  for (const format of formats) {
    const quality = findQuality(format === "json" ? "application/json" : mediaTypes[format], ranges);
    if (quality > (best?.quality ?? 0)) best = { format, quality };
  }
  return best?.format;
}

/** The most specific range that includes the type decides. */
function findQuality(mediaType: string, ranges: readonly MediaRange[]): number {
  const [main = ""] = mediaType.split("/");
  for (const wanted of [mediaType, `${main}/*`, "*/*"]) {
    const found = ranges.find(({ range }) => range === wanted);
    if (found) return found.quality;
  }
  return 0;
}
