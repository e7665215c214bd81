import { deepStrictEqual, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import type { Message } from "../../../shared/adapters/iso8583/codec.ts";

/** A Card with plenty of money, and a way for the messages of its network. */
export interface NetworkUnderTest {
  /** Sends a message and resolves to the answer's bytes. */
  sendBytes(message: Message): Promise<Uint8Array>;
  /** Reads DE39 of an answer. */
  responseOf(answer: Uint8Array): string | undefined;
  /** A purchase with an identity of its own; its DE7 is `second` of a minute that has passed. */
  purchase(amountMinor: number, second: number, fields?: Message["fields"]): Message;
  /** A message about a purchase, by DE90, with the same kind of DE7. */
  later(mti: string, first: Message, second: number, fields?: Message["fields"]): Message;
  heldMinor(): Promise<number>;
}

/** What the network says of one authorization after it, in the order of time. */
export interface Step<Is extends string = "advice" | "partialReversal" | "reversal"> {
  readonly is: Is;
  readonly amount: number;
  readonly copies: number;
  /** Not in the second of the one before. */
  readonly isLater: boolean;
  /** It has a DE37 of its own. */
  readonly hasReference: boolean;
}

export const amount = fc.integer({ min: 1, max: 500 });
export const copies = fc.integer({ min: 1, max: 3 });

/** One of these, which are named twice if they are to come more often. */
export const stepOf = <Is extends string>(...kinds: Is[]): fc.Arbitrary<Step<Is>> =>
  fc.record({
    is: fc.constantFrom(...kinds),
    amount,
    copies,
    isLater: fc.boolean(),
    hasReference: fc.boolean(),
  });
const step = stepOf("advice", "advice", "partialReversal", "partialReversal", "reversal");

const lifecycle = fc.record({
  /** The platform declines it, for its expiry date; its advices are a stand-in's. */
  isDeclined: fc.boolean(),
  amount,
  copies,
  steps: fc.array(step, { maxLength: 4 }),
  /** By which its messages, with their copies, are put out of order. */
  order: fc.infiniteStream(fc.nat()),
});
type Lifecycle = typeof lifecycle extends fc.Arbitrary<infer L> ? L : never;

let references = 0;
function newReference(): string {
  references += 1;
  return `OWN${String(references).padStart(9, "0")}`;
}

const toAmount = (minor: number) => String(minor).padStart(12, "0");

/**
 * Plays random lifecycles in random order, with repetitions: each message gets the same bytes every
 * time, and what is held in the end is what it would be in the order of time.
 * @throws Error with the smallest lifecycle that differs
 */
export async function proveNetworkMessages(
  given: () => Promise<NetworkUnderTest>,
  { lifecycles, seed }: { readonly lifecycles: number; readonly seed?: number },
): Promise<void> {
  const network = await given();
  await fc.assert(
    fc.asyncProperty(lifecycle, async (one) => {
      const before = await network.heldMinor();
      await play(network, one);
      strictEqual((await network.heldMinor()) - before, heldAfter(one));
    }),
    { numRuns: lifecycles, endOnFailure: false, ...(seed !== undefined && { seed }) },
  );
}

async function play(network: NetworkUnderTest, lifecycle: Lifecycle): Promise<void> {
  const { isDeclined, amount, copies, steps, order } = lifecycle;
  const first = network.purchase(amount, 1, isDeclined ? { 14: "9901" } : {});
  const messages = [
    first,
    ...inSeconds(steps).map((one) => toMessage(network, first, one, isDeclined ? { 39: "00" } : {})),
  ];
  const numbers = order[Symbol.iterator]();
  const sent = messages
    .flatMap((message, index) =>
      Array.from({ length: index === 0 ? copies : (steps[index - 1]?.copies ?? 1) }, (_, copy) => ({
        message: copy === 0 ? message : { ...message, mti: `${message.mti.slice(0, 3)}1` },
        of: message,
        place: Number(numbers.next().value),
      })),
    )
    .toSorted((one, other) => one.place - other.place);
  const answers = new Map<Message, Uint8Array>();
  for (const { message, of } of sent) {
    const answer = await network.sendBytes(message);
    strictEqual(network.responseOf(answer), of === first && isDeclined ? "54" : "00");
    deepStrictEqual(answer, answers.get(of) ?? answer);
    answers.set(of, answer);
  }
}

type TimedStep<Is extends string = Step["is"]> = Step<Is> & {
  readonly second: number;
  readonly own: Message["fields"];
};

export function inSeconds<Is extends string>(steps: readonly Step<Is>[]): TimedStep<Is>[] {
  let second = 2;
  return steps.map((one) => {
    second += Number(one.isLater);
    const own: Message["fields"] = one.hasReference ? { 37: newReference() } : {};
    return { ...one, second, own };
  });
}

export function toMessage(
  network: NetworkUnderTest,
  first: Message,
  { is, amount, second, own }: TimedStep<string>,
  standIn: Message["fields"],
): Message {
  if (is === "advice")
    return network.later("0120", first, second, { ...own, 4: toAmount(amount), ...standIn });
  if (is === "reversal") return network.later("0420", first, second, own);
  return network.later("0400", first, second, { ...own, 95: `${toAmount(amount)}${"0".repeat(30)}` });
}

/** A whole reversal ends it; else the last total, down to what later partial reversals leave. */
function heldAfter({ isDeclined, amount, steps }: Lifecycle): number {
  if (steps.some(({ is }) => is === "reversal")) return 0;
  return inSeconds(steps)
    .toSorted(inOrder)
    .reduce(
      (held, { is, amount: total }) => (is === "advice" ? total : Math.min(held, total)),
      isDeclined ? 0 : amount,
    );
}

/** Of the same second, the highest total counts, and then what reversals leave. */
export function inOrder(one: TimedStep<string>, other: TimedStep<string>): number {
  if (one.second !== other.second) return one.second - other.second;
  if (one.is !== other.is) return one.is === "advice" ? -1 : 1;
  return one.amount - other.amount;
}
