import { z } from "zod";
import type { Connection } from "../../infra/development/connection.ts";

const Recorded = z.object({
  recordings: z.array(z.object({ service: z.string(), event: z.record(z.string(), z.unknown()) })),
});
export type RecordedInput = z.output<typeof Recorded>["recordings"][number];

/** Switches the recording of functions' inputs on or off. On starts with none. */
export async function setRecording({ controlUrl }: Connection, recording: boolean): Promise<void> {
  await control(`${controlUrl}/recordings`, { recording });
}

/** Every input of a function since recording was switched on. */
export async function recordedInputs({ controlUrl }: Connection): Promise<RecordedInput[]> {
  const response = await fetch(`${controlUrl}/recordings`);
  return Recorded.parse(await response.json()).recordings;
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
