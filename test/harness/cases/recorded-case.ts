import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { apiEvent } from "../api-event.ts";
import type { GivenProgram } from "../given-cards.ts";
import { isIdentifier, redactedListenerId, redactedToken } from "../redact.ts";
import type { Case, CaseRequest } from "./case.ts";
import { recordedFolder } from "./recorded-folder.ts";

export const eventsFolder = path.resolve(import.meta.dirname, "../../../events");

/** The file of a case below `events/`: `cards/issue-card/403-compliance-state.json`. */
export function caseFile({ route, code, status }: Case): string {
  const name = code === "OK" ? `${status}` : `${status}-${code.toLowerCase().replaceAll("_", "-")}`;
  return path.posix.join(recordedFolder(route), `${name}.json`);
}

/** Every recorded input of a function that serves routes, as `caseFile` names it. */
export function recordedFiles(functions: ReadonlySet<string>): string[] {
  return everyRecordedFile().filter((file) => functions.has(file.split("/")[0] ?? ""));
}

export function everyRecordedFile(): string[] {
  if (!existsSync(eventsFolder)) return [];
  return readdirSync(eventsFolder, { recursive: true, encoding: "utf8" })
    .map((file) => file.replaceAll(path.sep, "/"))
    .filter((file) => file.endsWith(".json"))
    .toSorted();
}

export function readRecorded(file: string): APIGatewayProxyEvent {
  return JSON.parse(readFileSync(path.join(eventsFolder, file), "utf8")) as APIGatewayProxyEvent;
}

/**
 * A recorded input with this run's ids and unique values (such as a card's digits).
 * @throws Error when the recorded request is not built as the case's request is: then `npm run
 * record` is due.
 */
export function revive(
  recorded: APIGatewayProxyEvent,
  { caller }: GivenProgram,
  request: CaseRequest,
): APIGatewayProxyEvent {
  const now = apiEvent({ ...request, caller, route: `GET ${recorded.resource as "/"}` });
  const pairs = [
    ...idPairs(recorded.pathParameters, now.pathParameters),
    ...idPairs(recorded.queryStringParameters, now.queryStringParameters),
    ...idPairs(bodyOf(recorded), bodyOf(now)),
    ...idPairs(recorded.requestContext.authorizer, now.requestContext.authorizer, "some"),
  ];
  const text = pairs.reduce((all, [old, fresh]) => all.replaceAll(old, fresh), JSON.stringify(recorded));
  return { ...(JSON.parse(text) as APIGatewayProxyEvent), body: now.body };
}

function bodyOf({ body }: APIGatewayProxyEvent): unknown {
  try {
    return JSON.parse(body ?? "null");
  } catch {
    return body;
  }
}

/** Pairs of identifiers by position. Fields must be equal unless `fields` is "some". */
function idPairs(recorded: unknown, now: unknown, fields: "all" | "some" = "all"): [string, string][] {
  if (typeof recorded !== "object" || recorded === null || typeof now !== "object" || now === null) {
    return isReplaced(recorded) && isReplaced(now) ? [[recorded, now]] : [];
  }
  const names = Object.keys(recorded);
  if (fields === "all" && names.toSorted().join() !== Object.keys(now).toSorted().join()) {
    throw new Error(`The request was recorded with other fields (${names}): run npm run record.`);
  }
  return names.flatMap((name) =>
    idPairs((recorded as Record<string, unknown>)[name], (now as Record<string, unknown>)[name], fields),
  );
}

/** A month too: what is made today has no statement of the month in which it was recorded. */
function isReplaced(value: unknown): value is string {
  if (typeof value !== "string") return false;
  const lengths = [redactedToken, redactedListenerId].map(({ length }) => length);
  return lengths.includes(value.length) || /^\d{4}-\d{2}$/.test(value) || isIdentifier(value);
}
