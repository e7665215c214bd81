import type { Connection } from "../../infra/development/connection.ts";
import type { ObservedInvocation } from "../../infra/local/interfaces.ts";

/** What a function was invoked with. */
export interface RecordedInput {
  readonly service: string;
  readonly event: Readonly<Record<string, unknown>>;
}

/** Observes a platform: every input of a function from now on. */
export class Recordings {
  readonly inputs: RecordedInput[] = [];

  readonly observe = ({ service, event }: ObservedInvocation): void => {
    this.inputs.push({ service, event: structuredClone(Object(event)) });
  };
}

/** Moves the platform's clock; resolves when everything that became due is done. */
export async function advanceClock({ controlUrl }: Connection, advance: string): Promise<void> {
  await control(`${controlUrl}/clock`, { advance });
}

async function control(url: string, body: object): Promise<void> {
  const response = await fetch(url, { method: "POST", body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
}

export type Chosen = (input: RecordedInput) => boolean;

/** The input of a route's function or of the authorizer that belongs to the request. */
export function ofRequest(requestId: string | undefined): Chosen {
  return ({ event }) => (event.requestContext as { requestId?: string } | undefined)?.requestId === requestId;
}

/** An input that contains all the texts. */
export function holding(...texts: string[]): Chosen {
  return ({ event }) => texts.every((text) => JSON.stringify(event).includes(text));
}

/** The first input of a function that is meant. */
export function inputOf(
  inputs: readonly RecordedInput[],
  service = "",
  isMeant: Chosen = () => true,
): RecordedInput {
  const input = inputs.find((one) => one.service === service && isMeant(one));
  if (!input) throw new Error(`No such input of ${service} was recorded.`);
  return input;
}
