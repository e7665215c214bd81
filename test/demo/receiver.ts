import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { text } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";
import { type Notification, readNotification } from "../../client/src/card-issuing.ts";
import type { Connection } from "../../infra/development/connection.ts";

const patienceMs = 20_000;
const toleranceMs = 300_000;

/** A callback as it came in. */
interface Arrived {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** When, by the platform's clock, which may be far ahead of this machine's. */
  readonly at: Date;
}

/** A receiver as a customer would run one. */
export interface DemoReceiver {
  readonly origin: string;
  /** @throws Error if no callback to the path arrives in time */
  next(path: string): Promise<Arrived>;
  /** Answers what comes to the path from now on; undefined leaves it without an answer. */
  decide(path: string, answer: (question: { readonly amount: number }) => object | undefined): void;
  /** The notification, if the signature and its time are valid. */
  verified(arrived: Arrived, secret: string): Notification;
  stop(): void;
}

/** Undefined if the platform cannot send to this machine, or the port is in use. */
export async function startDemoReceiver({
  receivers,
  controlUrl,
}: Connection): Promise<DemoReceiver | undefined> {
  const origin = receivers.find((one) => one.startsWith("http:"));
  if (origin === undefined) return undefined;
  const waiting = new Map<string, PromiseWithResolvers<Arrived>>();
  const deciding = new Map<string, Parameters<DemoReceiver["decide"]>[1]>();
  const arrivalAt = (path: string) => {
    const arrival = waiting.get(path) ?? Promise.withResolvers<Arrived>();
    waiting.set(path, arrival);
    return arrival;
  };
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const decide = deciding.get(request.url ?? "");
    if (decide) {
      const answer = decide(JSON.parse(body) as { amount: number });
      return answer && response.end(JSON.stringify(answer));
    }
    // Before the answer: the clock does not move until it is sent.
    const { now } = (await (await fetch(`${controlUrl}/clock`)).json()) as { now: string };
    response.writeHead(204).end();
    arrivalAt(request.url ?? "").resolve({ headers: request.headers, body, at: new Date(now) });
  });
  const { hostname, port } = new URL(origin);
  server.listen(Number(port), hostname.replace(/^\[|\]$/g, ""));
  try {
    await once(server, "listening");
  } catch {
    return undefined;
  }
  return {
    origin,
    next: async (path) => {
      const arrival = arrivalAt(path);
      const late = () => arrival.reject(new Error(`Nothing came to ${origin}${path}.`));
      const patience = setTimeout(late, patienceMs);
      try {
        return await arrival.promise;
      } finally {
        clearTimeout(patience);
        waiting.delete(path);
      }
    },
    decide: (path, answer) => void deciding.set(path, answer),
    verified: ({ headers, body, at }, secret) => {
      const sentAt = new Date(Number(headers["webhook-timestamp"]) * 1000);
      const signature = new Webhook(secret).sign(String(headers["webhook-id"]), sentAt, body);
      if (!String(headers["webhook-signature"]).split(" ").includes(signature)) {
        throw new Error("The signature is not of this secret and these bytes.");
      }
      if (Math.abs(at.getTime() - sentAt.getTime()) > toleranceMs)
        throw new Error("The signature is of another time.");
      return readNotification(body);
    },
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
