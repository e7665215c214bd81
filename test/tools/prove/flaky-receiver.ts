import type { Random } from "../../harness/random.ts";
import { type Received, type Receiver, startReceiver } from "../../harness/receiver.ts";

/** Every copy of a message, and whether one was answered with success. */
interface Arrival {
  readonly path: string;
  readonly id: string;
  /** Each different body that came under the id, in base64. */
  readonly bodies: Set<string>;
  copies: number;
  isAcknowledged: boolean;
}

export interface FlakyReceiver {
  readonly origin: string;
  /** What came to a path, by `webhook-id`. */
  at(path: string): ReadonlyMap<string, Arrival>;
  /** How often it answered in each way. */
  readonly answers: ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

/** The receiver may answer that these are gone, so often: the proof enables them again. */
export const endpointPaths = ["/hooks/1", "/hooks/2"] as const;
const timesGone = 3;

/** Fails at random: 500, reset, no answer, late, and sometimes gone. */
export async function startFlakyReceiver(random: Random): Promise<FlakyReceiver> {
  const arrivals = new Map<string, Map<string, Arrival>>();
  const answers = new Map<string, number>();
  const receiver: Receiver = await startReceiver();
  const isEndpoint = (path: string) => endpointPaths.some((one) => one === path);
  receiver.behave((received, response) => {
    const arrival = note(arrivals, received);
    const isGone = isEndpoint(received.path) && (answers.get("410") ?? 0) < timesGone;
    const answer = chosen(random.fraction(), isGone);
    answers.set(answer, (answers.get(answer) ?? 0) + 1);
    switch (answer) {
      case "never":
        return;
      case "reset":
        return response.socket?.destroy();
      case "500":
      case "410":
        return response.writeHead(Number(answer)).end();
      case "late":
        return setTimeout(() => {
          arrival.isAcknowledged = true;
          response.writeHead(204).end();
        }, 1_700);
      case "204":
        arrival.isAcknowledged = true;
        return response.writeHead(204).end();
    }
  });
  const none: ReadonlyMap<string, Arrival> = new Map();
  return {
    origin: receiver.origin,
    at: (path) => arrivals.get(path) ?? none,
    answers,
    stop: () => receiver.stop(),
  };
}

function chosen(dice: number, mayBeGone: boolean): "204" | "500" | "reset" | "never" | "late" | "410" {
  if (dice < 0.7) return "204";
  if (dice < 0.85) return "500";
  if (dice < 0.97) return "reset";
  if (dice < 0.98) return "never";
  if (dice < 0.99) return "late";
  return mayBeGone ? "410" : "500";
}

function note(arrivals: Map<string, Map<string, Arrival>>, { path, headers, body }: Received): Arrival {
  const id = headers["webhook-id"] ?? "";
  const atPath = arrivals.get(path) ?? new Map<string, Arrival>();
  arrivals.set(path, atPath);
  const arrival = atPath.get(id) ?? { path, id, bodies: new Set(), copies: 0, isAcknowledged: false };
  atPath.set(id, arrival);
  arrival.bodies.add(body.toString("base64"));
  arrival.copies += 1;
  return arrival;
}
