import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Json } from "./schemas.ts";

const folder = path.join(import.meta.dirname, "../../../events");

export interface RecordedRequests {
  readonly body?: unknown;
  readonly answer: unknown;
  /** Other formats of the answer, by format. */
  readonly documents: Readonly<Record<string, unknown>>;
}

interface RecordedEvent {
  readonly httpMethod: string;
  readonly resource: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** By function, method and route: `cards GET /cards/{cardId}`. */
export function readRecordedRequests(): ReadonlyMap<string, RecordedRequests> {
  const found = new Map<string, RecordedRequests>();
  const { successes, documents } = readAnswers();
  const functions = readdirSync(folder, { withFileTypes: true }).filter((one) => one.isDirectory());
  for (const { name: functionName } of functions) {
    for (const operation of readdirSync(path.join(folder, functionName))) {
      const event = readEvent(path.join(folder, functionName, operation, "200.json"));
      if (!event?.httpMethod) continue;
      const { httpMethod, resource, body, headers } = event;
      const isJson = headers["Content-Type"] === "application/json";
      const answer = successes[`${functionName}/${operation}`];
      if (!answer) throw new Error(`${functionName}/${operation} has no recorded answer.`);
      found.set(`${functionName} ${httpMethod} ${resource}`, {
        answer,
        documents: (documents[`${functionName}/${operation}`] ?? {}) as Json,
        ...(body !== null && { body: isJson ? JSON.parse(body) : body }),
      });
    }
  }
  return found;
}

function readEvent(file: string): RecordedEvent | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as RecordedEvent;
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
}

/** What `npm run record` wrote: by operation, by code, by the webhook's name, by format. */
export function readAnswers(): Record<"successes" | "errors" | "notifications" | "documents", Json> {
  return JSON.parse(readFileSync(path.join(folder, "answers.json"), "utf8"));
}
