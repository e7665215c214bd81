import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { buffer } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";
import { z } from "zod";
import { type Client, createClient, unwrap } from "../../../client/src/card-issuing.ts";
import type { EventType } from "../../../shared/contract/enums.ts";
import { parseJson, writeWholeFile } from "../../command-line/connection-file.ts";
import { CannotRun } from "../../command-line/options.ts";
import { say } from "../../command-line/print.ts";
import { describeNotification } from "./describe-notification.ts";
import { forward } from "./forward.ts";
import type { ListenConnection } from "./listen-connection.ts";

interface Options {
  readonly connection: ListenConnection;
  readonly secretFile: string;
  readonly eventTypes: readonly number[];
  readonly forwardTo?: string;
}

interface Listening {
  readonly url: string;
  readonly secret: string;
  stop(): Promise<void>;
}

const ownPath = "/listen";

/** @throws CannotRun where no allowed receiver on this machine is free */
export async function startListening(options: Options): Promise<Listening> {
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
async function readClock({ controlUrl }: ListenConnection): Promise<Date> {
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
