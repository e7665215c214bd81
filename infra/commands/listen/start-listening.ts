import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer, request as open, type Server } from "node:http";
import { request as openOverTls } from "node:https";
import { buffer } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";
import { z } from "zod";
import {
  type Client,
  createClient,
  type Notification,
  readNotification,
  unwrap,
} from "../../../client/src/card-issuing.ts";
import { toDecimal } from "../../../shared/contract/currencies.ts";
import { type EventType, TransactionType } from "../../../shared/contract/enums.ts";
import type { Connection } from "../../command-line/connection.ts";
import { parseJson, writeWholeFile } from "../../command-line/connection-file.ts";
import { CannotRun } from "../../command-line/options.ts";
import { say } from "../../command-line/print.ts";

interface Options {
  readonly connection: Connection;
  readonly secretFile: string;
  readonly eventTypes: readonly number[];
  readonly forwardTo?: string;
}

const ownPath = "/listen";

/** @throws CannotRun where no allowed receiver on this machine is free */
export async function startListening(
  options: Options,
): Promise<{ readonly url: string; readonly secret: string; stop(): Promise<void> }> {
  const { connection, eventTypes } = options;
  const secret = keepSecret(options.secretFile);
  const { server, origin } = await openFreeReceiver(connection.receivers);
  server.on("request", async (request, response) => {
    const body = await buffer(request);
    const headers = request.headers as Record<string, string>;
    const at = await readClock(connection);
    const check = isSigned(headers, body, secret, at) ? "signed" : "WRONG SIGNATURE";
    const { rawHeaders } = request;
    const forwarded = options.forwardTo ? await forward(options.forwardTo, rawHeaders, body) : undefined;
    const parts = [at.toISOString(), describeNotification(body.toString()), shorten(headers["webhook-id"])];
    say([...parts, check, forwarded?.line].filter(Boolean).join("  "));
    response.writeHead(forwarded?.status ?? 204).end();
  });
  const client = createClient({
    baseUrl: connection.baseUrl,
    certificate: readFileSync(connection.cert),
    key: readFileSync(connection.key),
    authority: readFileSync(connection.ca),
    apiKey: connection.programApiKey,
  });
  const close = async () => {
    server.close();
    server.closeAllConnections();
    await client.close();
  };
  const url = origin + ownPath;
  try {
    // One that a killed run has left.
    await removeEndpoints(client, url);
    const body = { url, eventTypes: eventTypes as EventType[], secret };
    await unwrap(client.POST("/webhooks", { body }));
  } catch (error) {
    await close();
    throw error;
  }
  const stop = async () => {
    await removeEndpoints(client, url);
    await close();
  };
  return { url, secret, stop };
}

const Kept = z.object({ secret: z.string() });

/** The secret of this platform's state, so that a server that knows it need not learn another. */
function keepSecret(file: string): string {
  const kept = existsSync(file) ? Kept.safeParse(parseJson(readFileSync(file, "utf8"))).data : undefined;
  if (kept !== undefined) return kept.secret;
  const secret = `whsec_${randomBytes(32).toString("base64")}`;
  writeWholeFile(file, `${JSON.stringify({ secret })}\n`);
  return secret;
}

/** The last first: the demo takes the first. */
async function openFreeReceiver(receivers: readonly string[]): Promise<{ server: Server; origin: string }> {
  for (const origin of receivers.filter((one) => one.startsWith("http:")).toReversed()) {
    const { hostname, port } = new URL(origin);
    const server = createServer();
    server.listen(Number(port), hostname.replace(/^\[|\]$/g, ""));
    try {
      await once(server, "listening");
      return { server, origin };
    } catch {
      // Another program has this one.
    }
  }
  throw new CannotRun(
    `None of LOCAL_RECEIVERS is free: ${receivers.join(", ") || "it is empty"}. npm start takes others, such as LOCAL_RECEIVERS=http://127.0.0.1:9000.`,
  );
}

const toleranceMs = 300_000;

/** The package's own check would use this machine's clock. */
function isSigned(headers: Record<string, string>, body: Buffer, secret: string, at: Date): boolean {
  const sentAt = new Date(Number(headers["webhook-timestamp"]) * 1000);
  if (!(Math.abs(at.getTime() - sentAt.getTime()) <= toleranceMs)) return false;
  const signature = new Webhook(secret).sign(String(headers["webhook-id"]), sentAt, body.toString());
  return String(headers["webhook-signature"]).split(" ").includes(signature);
}

/** The platform's clock may be far ahead of this machine's. */
async function readClock({ controlUrl }: Connection): Promise<Date> {
  const { now } = (await (await fetch(`${controlUrl}/clock`)).json()) as { now: string };
  return new Date(now);
}

async function removeEndpoints(client: Client, url: string): Promise<void> {
  const { items } = await unwrap(client.GET("/webhooks"));
  for (const { webhookId } of items.filter((one) => one.url === url))
    await unwrap(client.DELETE("/webhooks/{webhookId}", { params: { path: { webhookId } } }));
}

/** The first letters and the last, which differ from others of the same second. */
function shorten(webhookId = ""): string {
  return `${webhookId.slice(0, 4)}…${webhookId.slice(-6)}`;
}

/** Type, amount in the currency's units, what it is about, and what became of that. */
export function describeNotification(body: string): string {
  const { type, amountMinor, subject = "", what = "" } = readFacts(readNotification(body));
  const amount = amountMinor === undefined ? "" : toDecimal(amountMinor);
  return `${type.padEnd(26)} ${amount.padStart(10)}  ${subject.padEnd(30)}  ${what.padEnd(26)}`;
}

function readFacts(received: Notification) {
  switch (received.kind) {
    case "transaction": {
      const { SpData, TransAmount, CardId, TransType } = received.notification;
      const what = transactionNames.get(TransType);
      return { type: SpData.MsgType, amountMinor: TransAmount, subject: CardId, what };
    }
    case "change": {
      const { type, data, subjectId } = received.notification;
      const found: Readonly<Record<string, unknown>> = data;
      const amounts = amountNames.map((name) => found[name]).filter((one) => typeof one === "number");
      return {
        type,
        amountMinor: amounts[0],
        subject: typeof found.cardId === "string" ? found.cardId : subjectId,
        what: typeof found.status === "string" ? found.status : undefined,
      };
    }
    default:
      return { type: received.kind };
  }
}

const transactionNames = new Map(Object.entries(TransactionType).map(([name, code]) => [Number(code), name]));

/** The first that a body has says what it is about. */
const amountNames = ["amount", "requestedAmount", "availableBalance"];

/** As long as the platform waits for an answer. */
const longestMs = 10_000;
/** They are of one connection. The target has another name, and the length is written anew. */
const ofConnection = /^(?:host|connection|keep-alive|transfer-encoding|content-length)$/i;

interface Forwarded {
  readonly status: number;
  readonly line: string;
}

/**
 * Posts the bytes of a notification with its headers, as they came: `rawHeaders` are names and
 * values in turn. Follows no redirect, as the platform does. Returns 502 without an answer.
 */
export async function forward(url: string, rawHeaders: readonly string[], body: Buffer): Promise<Forwarded> {
  const begunMs = performance.now();
  const signal = AbortSignal.timeout(longestMs);
  try {
    const status = await post(new URL(url), { rawHeaders, body, signal });
    return { status, line: `-> ${status} in ${Math.round(performance.now() - begunMs)} ms` };
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    const reason = signal.aborted ? `within ${longestMs / 1_000} s` : code;
    return { status: 502, line: `-> no answer (${reason})` };
  }
}

function post(
  url: URL,
  { rawHeaders, body, signal }: { rawHeaders: readonly string[]; body: Buffer; signal: AbortSignal },
): Promise<number> {
  const kept = rawHeaders.flatMap((name, index) =>
    index % 2 === 1 || ofConnection.test(name) ? [] : [name, rawHeaders[index + 1] ?? ""],
  );
  const headers = ["Host", url.host, ...kept, "Content-Length", String(body.length)];
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const options = { method: "POST", headers, signal };
  const sent = (url.protocol === "https:" ? openOverTls : open)(url, options, (answer) => {
    resolve(answer.statusCode ?? 0);
    answer.on("error", () => undefined).resume();
  });
  sent.on("error", reject).end(body);
  return promise;
}
