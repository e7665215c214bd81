import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import type { Message } from "../../../shared/adapters/iso8583/codec.ts";
import {
  amount,
  copies,
  inOrder as inOrderOfTime,
  inSeconds,
  type Step as NetworkStep,
  type NetworkUnderTest,
  stepOf,
  toMessage,
} from "./network-messages.ts";

/** The same, with settlements, for a Program whose ATM fee does not depend on the amount. */
export interface CashNetworkUnderTest extends NetworkUnderTest {
  readonly feeMinor: number;
  /** Settles what a message has authorized, once for each reference. */
  clear(first: Message, amountMinor: number, reference: string): Promise<unknown>;
  ledgerMinor(): Promise<number>;
}

type Step = NetworkStep<NetworkStep["is"] | "clearing">;

const step = stepOf("advice", "advice", "partialReversal", "partialReversal", "reversal", "clearing");

const lifecycle = fc.record({
  /** Declined for its expiry date, or never sent: the network stands in, or does not. */
  authorization: fc.constantFrom("approved", "approved", "declined", "none"),
  amount,
  copies,
  steps: fc.array(step, { maxLength: 5 }).map(withOneClearing),
  /** By which its messages, with their copies, are put out of order. */
  order: fc.infiniteStream(fc.nat()),
  /** How many are sent at once. */
  atOnce: fc.integer({ min: 1, max: 3 }),
});
type Lifecycle = typeof lifecycle extends fc.Arbitrary<infer L> ? L : never;

/** Sometimes in the amount of the step before it. */
function withOneClearing(steps: Step[]): Step[] {
  const first = steps.findIndex(({ is }) => is === "clearing");
  const earlier = steps[first - 1];
  return steps.flatMap((one, index) => {
    if (one.is !== "clearing") return one;
    if (index !== first) return [];
    return earlier && one.amount % 2 === 0 ? { ...one, amount: earlier.amount } : one;
  });
}

/**
 * Plays random lifecycles of cash in random order, with repetitions, some of them at once: each
 * message gets the same bytes every time, and cash and fee are paid as in the order of time.
 * @throws Error with the smallest lifecycle that differs
 */
export async function proveCashMessages(
  given: () => Promise<CashNetworkUnderTest>,
  { lifecycles, seed }: { readonly lifecycles: number; readonly seed?: number },
): Promise<void> {
  const network = await given();
  await fc.assert(
    fc.asyncProperty(lifecycle, async (one) => {
      const before = await network.ledgerMinor();
      await play(network, one);
      const cashMinor = paidBy(one);
      const feeMinor = cashMinor > 0 && isWithdrawn(one) ? network.feeMinor : 0;
      strictEqual(before - (await network.ledgerMinor()), cashMinor + feeMinor);
      strictEqual(await network.heldMinor(), 0);
    }),
    { numRuns: lifecycles, endOnFailure: false, ...(seed !== undefined && { seed }) },
  );
}

/** Sends something, and ends with the answer's bytes, if it has one. */
interface Sending {
  readonly of: Message | "clearing";
  readonly may: readonly string[];
  readonly send: () => Promise<unknown>;
}

async function play(network: CashNetworkUnderTest, lifecycle: Lifecycle): Promise<void> {
  const { authorization, amount: asked, copies: times, steps, order, atOnce } = lifecycle;
  const isDeclined = authorization === "declined";
  const first = network.purchase(asked, 1, isDeclined ? { 3: "010000", 14: "9901" } : { 3: "010000" });
  const isCleared = steps.some(({ is }) => is === "clearing");
  const sendings = [
    ...(authorization === "none"
      ? []
      : copiesOf(network, first, times, isDeclined ? ["54"] : ["00", "10", "05"])),
    ...inSeconds(steps).flatMap((one): Sending[] => {
      if (one.is === "clearing") {
        const send = () => network.clear(first, one.amount, String(first.fields[37]));
        return Array.from({ length: one.copies }, () => ({ of: "clearing", may: [], send }));
      }
      const may = isCleared && one.is !== "advice" ? ["00", "12"] : ["00"];
      const cash = { ...one, own: { ...one.own, 3: "010000" } };
      return copiesOf(network, toMessage(network, first, cash, { 39: "00" }), one.copies, may);
    }),
  ];
  const numbers = order[Symbol.iterator]();
  const inOrder = sendings
    .map((sending) => ({ sending, place: Number(numbers.next().value) }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ sending }) => sending);
  const answers = new Map<unknown, unknown>();
  for (let next = 0; next < inOrder.length; next += atOnce) {
    const group = inOrder.slice(next, next + atOnce);
    const sent = await Promise.all(group.map(async ({ send, ...one }) => ({ ...one, answer: await send() })));
    for (const { of, may, answer } of sent) {
      deepStrictEqual(answer, answers.get(of) ?? answer);
      answers.set(of, answer);
      const code = of === "clearing" ? undefined : network.responseOf(answer as Uint8Array);
      ok(code === undefined || may.includes(code), `${typeof of === "object" ? of.mti : of}: ${code}`);
    }
  }
}

function copiesOf(
  network: NetworkUnderTest,
  message: Message,
  times: number,
  may: readonly string[],
): Sending[] {
  return Array.from({ length: times }, (_, copy) => {
    const sent = copy === 0 ? message : { ...message, mti: `${message.mti.slice(0, 3)}1` };
    return { of: message, may, send: () => network.sendBytes(sent) };
  });
}

/** What was cleared; else nothing after a whole reversal; else the last total, limited. */
function paidBy({ authorization, amount: asked, steps }: Lifecycle): number {
  const clearing = steps.find(({ is }) => is === "clearing");
  if (clearing) return clearing.amount;
  if (steps.some(({ is }) => is === "reversal")) return 0;
  return inSeconds(steps)
    .toSorted(inOrderOfTime)
    .reduce(
      (paid, { is, amount: total }) => (is === "advice" ? total : Math.min(paid, total)),
      authorization === "approved" ? asked : 0,
    );
}

/** A settlement alone does not say that it is of cash. */
function isWithdrawn({ authorization, steps }: Lifecycle): boolean {
  return authorization === "approved" || steps.some(({ is }) => is === "advice");
}
