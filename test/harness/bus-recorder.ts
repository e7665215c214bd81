import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { listen } from "./listen.ts";

export interface BusEntry {
  readonly EventBusName: string;
  readonly Source: string;
  readonly DetailType: string;
  readonly Detail: string;
  readonly Time: number;
}

export interface BusRecorder {
  /** The entries of each call. */
  readonly calls: BusEntry[][];
  /** An error code for an entry, or undefined to accept it. */
  refuse: (entry: BusEntry) => string | undefined;
  httpStatus: number;
}

const recorder: BusRecorder = { calls: [], refuse: () => undefined, httpStatus: 200 };
/** One server a process: the relay's client keeps the first address that it found. */
let server: Promise<string> | undefined;

/** Speaks EventBridge's protocol to the real SDK client. Accepts everything at first. */
export async function startBusRecorder(): Promise<BusRecorder> {
  server ??= startServer();
  process.env.AWS_ENDPOINT_URL_EVENTBRIDGE = await server;
  process.env.EVENT_BUS_NAME = "the-bus";
  return resetBus();
}

export function resetBus(): BusRecorder {
  recorder.calls.length = 0;
  return Object.assign(recorder, { refuse: () => undefined, httpStatus: 200 });
}

async function startServer(): Promise<string> {
  const bus = createServer(async (request, response) => {
    const { Entries } = (await json(request)) as { Entries: BusEntry[] };
    recorder.calls.push(Entries);
    const results = Entries.map((entry) => {
      const ErrorCode = recorder.refuse(entry);
      return ErrorCode ? { ErrorCode, ErrorMessage: "refused" } : { EventId: "1" };
    });
    const FailedEntryCount = results.filter((result) => "ErrorCode" in result).length;
    response.writeHead(recorder.httpStatus, { "Content-Type": "application/x-amz-json-1.1" });
    response.end(JSON.stringify({ FailedEntryCount, Entries: results }));
  });
  return listen(bus);
}
