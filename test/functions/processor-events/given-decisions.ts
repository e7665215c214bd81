import { vi } from "vitest";
import { sweep } from "../../../functions/deadlines/sweep.ts";
import { lapseAfterMs } from "../../../shared/questions/question.ts";
import { givenNetwork, type Told } from "../../harness/given-network.ts";
import { approve, givenReceiver, heldBack } from "../../harness/given-receiver.ts";

export const authorization = { kind: "authorization", authorizationId: "A", amount: 3_000 } as const;

/** A card with 100.00, and a Program whose receiver answers. */
export async function given(answer: Parameters<typeof givenReceiver>[1] = approve) {
  const network = await givenNetwork();
  const receiver = await givenReceiver(network.programId, answer);
  return { ...network, receiver };
}

export type Given = Awaited<ReturnType<typeof given>>;

/** An authorization whose question is open. */
export async function givenOpen() {
  const open = heldBack();
  const network = await given(open.answer);
  const told = { ...authorization, eventId: "e1" } as Told;
  const answered = network.send(told);
  answered.catch(() => {});
  await open.asked;
  return { ...network, ...open, answered, told };
}

export function moveClock(ms: number) {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms, shouldAdvanceTime: true });
}

/** Past the time for a decision. */
export const lapsedMs = 500 + lapseAfterMs + 1;

/** Without the first deposit. */
export async function recorded({ records }: Given) {
  return (await records()).filter(({ transType }) => transType !== 18);
}

/** Executes all that is due by the clock. */
export function sweepOnce(): Promise<void> {
  return sweep(() => true);
}
