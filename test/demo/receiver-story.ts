import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";
import type { Client } from "./client.ts";
import type { Narrator } from "./narrator.ts";

const patienceMs = 20_000;

/**
 * A receiver of the Program's own gets a hold's webhook and verifies it. It listens where the platform was told that it may: at an origin of
 * LOCAL_RECEIVERS. Without one, the platform sends to public hosts alone, and the story goes on without.
 */
export async function receiveWebhook(
  client: Client,
  tell: Narrator,
  cardId: string,
  receivers: readonly string[],
): Promise<void> {
  const origin = receivers.find((one) => one.startsWith("http:"));
  if (origin === undefined) {
    tell.step(
      "No webhook is received, since no receiver of this machine is allowed",
      "Start the platform and the demo with LOCAL_RECEIVERS=http://127.0.0.1:9090 to see one.",
    );
    return;
  }
  const { hostname, port } = new URL(origin);
  const arrivals = Promise.withResolvers<{ headers: IncomingMessage["headers"]; body: string }>();
  const server = createServer(async (request, response) => {
    const body = await text(request);
    response.writeHead(204).end();
    arrivals.resolve({ headers: request.headers, body });
  }).listen(Number(port), hostname);
  await once(server, "listening");
  const registered = await client.call("POST /webhooks", { url: `${origin}/card-events`, eventTypes: [1] });
  const { webhookId, secret } = registered.body.data;
  try {
    tell.step("A webhook endpoint is registered for holds", `${webhookId} ${origin}/card-events`);
    const body = { amount: 700, merchantName: "Kiosk" };
    await client.call(`POST /sandbox/cards/${cardId}/authorizations`, body);
    AbortSignal.timeout(patienceMs).addEventListener("abort", () =>
      arrivals.reject(new Error("The webhook did not come.")),
    );
    const received = await arrivals.promise;
    const envelope = new Webhook(secret).verify(received.body, received.headers as Record<string, string>);
    const { TransId_SC, TransAmount, SpData } = envelope as Record<string, string>;
    const { cdcEvent } = JSON.parse(JSON.parse(SpData ?? "").OriginalDataFromSp);
    tell.step(
      "A kiosk asks for 7.00 USD, and the webhook of the hold comes in, its signature verified",
      `${cdcEvent} ${TransId_SC}, TransAmount ${TransAmount}`,
    );
  } finally {
    await client.call(`DELETE /webhooks/${webhookId}`);
    server.close();
    server.closeAllConnections();
  }
}
