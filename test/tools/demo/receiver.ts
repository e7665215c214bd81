import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { text } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";
import { type Notification, readNotification } from "../../../client/src/card-issuing.ts";
import type { Connection } from "../../../infra/development/connection.ts";

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
  /** Answers questions to the path, if their signature is valid; undefined stays silent. */
  decide(path: string, secret: string, answer: () => object | undefined): void;
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
  const deciding = new Map<string, { readonly secret: string; readonly answer: () => object | undefined }>();
  const arrivalAt = (path: string) => {
    const arrival = waiting.get(path) ?? Promise.withResolvers<Arrived>();
    waiting.set(path, arrival);
    return arrival;
  };
  const server = createServer(async (request, response) => {
    const body = await text(request);
    // Before the answer: the clock does not move until it is sent.
    const { now } = (await (await fetch(`${controlUrl}/clock`)).json()) as { now: string };
    const arrived = { headers: request.headers, body, at: new Date(now) };
    const decision = deciding.get(request.url ?? "");
    if (decision) {
      if (findFault(arrived, decision.secret)) return response.writeHead(401).end();
      const answer = decision.answer();
      return answer && response.end(JSON.stringify(answer));
    }
    response.writeHead(204).end();
    arrivalAt(request.url ?? "").resolve(arrived);
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
    decide: (path, secret, answer) => void deciding.set(path, { secret, answer }),
    verified: (arrived, secret) => {
      const fault = findFault(arrived, secret);
      if (fault) throw new Error(fault);
      return readNotification(arrived.body);
    },
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** What is wrong with the signature. The package's own check would use this machine's clock. */
function findFault({ headers, body, at }: Arrived, secret: string): string | undefined {
  const sentAt = new Date(Number(headers["webhook-timestamp"]) * 1000);
  const signature = new Webhook(secret).sign(String(headers["webhook-id"]), sentAt, body);
  if (!String(headers["webhook-signature"]).split(" ").includes(signature))
    return "The signature is not of this secret and these bytes.";
  return Math.abs(at.getTime() - sentAt.getTime()) > toleranceMs
    ? "The signature is of another time."
    : undefined;
}
