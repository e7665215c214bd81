import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

const folder = path.join(import.meta.dirname, "../../../events");

export interface RecordedRequests {
  /** The operation's folder name: `issue-card`. */
  readonly operation: string;
  /** The body of a successful request. */
  readonly body?: unknown;
}

interface RecordedEvent {
  readonly httpMethod: string;
  readonly resource: string;
  readonly body: string | null;
}

/** Reads the recorded events by function, method and route: `cards GET /cards/{cardId}`. */
export function readRecordedRequests(): ReadonlyMap<string, RecordedRequests> {
  const found = new Map<string, RecordedRequests>();
  for (const functionName of readdirSync(folder)) {
    for (const operation of readdirSync(path.join(folder, functionName))) {
      const event = readEvent(path.join(folder, functionName, operation, "200.json"));
      if (!event?.httpMethod) continue;
      const { httpMethod, resource, body } = event;
      found.set(`${functionName} ${httpMethod} ${resource}`, {
        operation,
        ...(body !== null && { body: JSON.parse(body) }),
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
