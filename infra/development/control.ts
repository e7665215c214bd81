import type { IncomingMessage } from "node:http";
import { z } from "zod";
import type { LazyConsole } from "../console/lazy-console.ts";
import { AdvanceUnfinished, type VirtualClock } from "../local/clock.ts";
import { InvocationRejected } from "../local/interfaces.ts";
import { type LoopbackServer, startLoopbackServer } from "../local/loopback-server.ts";
import type { FunctionRuntime, MemoryTrace, Metrics } from "../local/start-functions.ts";
import { type Page, readPage } from "./pages.ts";

interface ControlOptions {
  clock: Pick<VirtualClock, "now" | "advance">;
  trace: Pick<MemoryTrace, "since">;
  metrics: Pick<Metrics, "all">;
  functions: Pick<FunctionRuntime, "killNext">;
  console: Pick<LazyConsole, "answer">;
  /** Updates the gateway's truststore, as a deployment does in AWS. */
  publishTruststore(): Promise<void>;
  port?: number;
  /** Where the API is, which the reference shows. */
  readonly address?: { readonly baseUrl: string; readonly sandboxUrl: string };
}

const largestBodyBytes = 10_000;
/** Another host name would mean DNS rebinding by a foreign page. */
const loopbackHost = /^(127\.0\.0\.1|localhost)(:\d+)?$/;
const unitMs: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const longestAdvanceMs = 3650 * 86_400_000;

const Advance = z.strictObject({
  advance: z
    .string()
    .regex(
      /^[1-9]\d{0,8}[smhd]$/,
      'must be a whole number above 0 with its unit, such as "25h": s, m, h or d',
    )
    .transform((text) => Number.parseInt(text, 10) * (unitMs[text.slice(-1)] ?? 0))
    .refine((ms) => ms <= longestAdvanceMs, "is more than ten years"),
});
const Kill = z.strictObject({ function: z.string(), afterMs: z.int().min(0).max(60_000).default(0) });

class BadRequest extends Error {
  readonly status: 400 | 404 | 405 | 413;

  constructor(status: BadRequest["status"], message: string) {
    super(message);
    this.status = status;
  }
}

type Operation = (request: { body: string; query: URLSearchParams }) => unknown;

function listOperations(options: ControlOptions): Readonly<Record<string, Record<string, Operation>>> {
  const { clock, trace, metrics, functions, publishTruststore } = options;
  return {
    "/health": { GET: () => ({ status: "ok" }) },
    "/address": { GET: () => options.address ?? {} },
    "/metrics": { GET: () => metrics.all() },
    "/clock": {
      GET: () => toTime(clock),
      POST: async ({ body }) => {
        await clock.advance(parse(Advance, body).advance);
        return toTime(clock);
      },
    },
    "/trace": {
      GET: ({ query }) => {
        const after = z.coerce
          .number()
          .int()
          .min(0)
          .safeParse(query.get("after") ?? "0");
        if (!after.success) throw new BadRequest(400, "after must be a sequence number");
        return { entries: trace.since(after.data) };
      },
    },
    "/kill": {
      POST: async ({ body }) => {
        const { function: name, afterMs } = parse(Kill, body);
        try {
          return { killed: await functions.killNext(name, afterMs) };
        } catch (error) {
          if (error instanceof InvocationRejected) throw new BadRequest(404, error.message);
          throw error;
        }
      },
    },
    "/truststore": {
      POST: async () => {
        await publishTruststore();
        return { published: true };
      },
    },
  };
}

/** Serves what controls a run, on loopback only: clock, trace and pages. */
export async function startControl(options: ControlOptions): Promise<LoopbackServer> {
  const operations = listOperations(options);
  const answer = async (request: IncomingMessage): Promise<Page | { json: unknown }> => {
    // Pages of other origins must not control the platform.
    const { origin, host = "" } = request.headers;
    if (!loopbackHost.test(host))
      throw new BadRequest(400, `the host is "${host}"; use 127.0.0.1 or localhost`);
    if (origin !== undefined && origin !== `http://${host}`)
      throw new BadRequest(400, `the page ${origin} may not call this port`);
    const { pathname, searchParams } = new URL(request.url ?? "", "http://control");
    const page = request.method === "GET" ? await readPage(pathname) : undefined;
    if (page !== undefined) return page;
    const methods = Object.hasOwn(operations, pathname) ? operations[pathname] : undefined;
    if (methods === undefined)
      throw new BadRequest(404, `${pathname} does not exist; there is ${Object.keys(operations).join(", ")}`);
    const operation = methods[request.method ?? ""];
    if (operation === undefined)
      throw new BadRequest(405, `${pathname} takes ${Object.keys(methods).join(", ")}`);
    return { json: await operation({ body: await readBody(request), query: searchParams }) };
  };
  return startLoopbackServer((request, response) => {
    const send = (status: number, body: unknown) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(`${JSON.stringify(body)}\n`);
    };
    if (/^\/console([/?]|$)/.test(request.url ?? "")) {
      options.console
        .answer(request, response)
        .catch((error: Error) =>
          response.headersSent ? response.destroy() : send(502, { error: error.message }),
        );
      return;
    }
    answer(request).then(
      (answered) => {
        if ("json" in answered) return send(200, answered.json);
        response.writeHead(200, { "content-type": answered.contentType });
        response.end(answered.content);
      },
      (error) => {
        if (!(error instanceof AdvanceUnfinished)) {
          return send(error instanceof BadRequest ? error.status : 500, { error: error.message });
        }
        // Not a fault of the platform: a receiver may be slow.
        const leftSeconds = Math.ceil(error.leftMs / 1000);
        return send(503, { error: error.message, ...toTime(options.clock), leftSeconds });
      },
    );
  }, options.port ?? 0);
}

function toTime(clock: ControlOptions["clock"]) {
  return { now: new Date(clock.now()).toISOString() };
}

function parse<Schema extends z.ZodType>(schema: Schema, body: string): z.output<Schema> {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw new BadRequest(400, "the body is not JSON");
  }
  const { success, data, error } = schema.safeParse(value);
  if (!success) throw new BadRequest(400, z.prettifyError(error));
  return data;
}

async function readBody(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const chunk of request) {
    body += chunk;
    if (body.length > largestBodyBytes) throw new BadRequest(413, "the body is too large");
  }
  return body;
}
