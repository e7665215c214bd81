import { setTimeout as delay } from "node:timers/promises";
import type { Receiver } from "../../harness/receiver.ts";
import { amountOf, nextAmount } from "./hold-amounts.ts";
import type { LiveCard } from "./live-platform.ts";
import { median, progress, type Row } from "./report.ts";

export const columns = ["endpoints that answer", "alone ms", "beside 5 dead ones ms", "ratio", "limit"];

const limit = 1.5;
const blocks = 2;
const holdsInABlock = 30;
const paceMs = 200;
/** A machine with other work to do is measured again before a limit counts as broken. */
const attempts = 3;

/**
 * Median times from commit to first byte, in turns: alone, and beside five dead receivers, two of
 * them in the same Program. They are new in each turn, so their detection is included.
 */
export async function delaysBesideDead(one: LiveCard, another: LiveCard, receiver: Receiver): Promise<Row[]> {
  let delays = await compare(one, another, receiver);
  for (let attempt = 2; attempt <= attempts && delays.ratio > limit; attempt += 1) {
    delays = await compare(one, another, receiver);
  }
  const { alone, beside, ratio } = delays;
  return [
    {
      cells: ["median delay", alone.toFixed(1), beside.toFixed(1), ratio.toFixed(2), limit],
      broken:
        ratio > limit
          ? `Beside five dead endpoints the others' delay is ${ratio.toFixed(2)} times that without them, not ${limit}.`
          : undefined,
    },
  ];
}

async function compare(one: LiveCard, another: LiveCard, receiver: Receiver) {
  const cards = [one, another];
  const healthy = await Promise.all(cards.map((card) => card.register(`${receiver.origin}/healthy`)));
  await measure(cards, receiver, holdsInABlock);
  const times = { alone: [] as number[], beside: [] as number[] };
  for (let block = 1; block <= blocks; block += 1) {
    progress(`dead endpoints ${block} of ${blocks}`);
    times.alone.push(...(await measure(cards, receiver, holdsInABlock)));
    const dead = await Promise.all(
      [one, one, another, another, another].map(async (card, index) => {
        const webhookId = await card.register(`${receiver.origin}/dead/${index}`);
        return () => card.remove(webhookId);
      }),
    );
    times.beside.push(...(await measure(cards, receiver, holdsInABlock)));
    for (const remove of dead) await remove();
  }
  for (const [index, card] of cards.entries()) await card.remove(healthy[index] ?? "");
  const [alone, beside] = [median(times.alone), median(times.beside)];
  return { alone, beside, ratio: beside / alone };
}

/** Holds one after the other on each card, whether or not those before have arrived. */
async function measure(cards: readonly LiveCard[], receiver: Receiver, count: number): Promise<number[]> {
  const arrivals = new Map<number, PromiseWithResolvers<number>>();
  receiver.behave((received, response) => {
    if (received.path.startsWith("/dead")) return;
    response.writeHead(204).end();
    arrivals.get(amountOf(received))?.resolve(received.arrivedMs);
  });
  const times: Promise<number>[] = [];
  for (let held = 0; held < count; held += 1) {
    for (const card of cards) {
      const amount = nextAmount();
      const arrival = Promise.withResolvers<number>();
      arrivals.set(amount, arrival);
      const committedMs = await card.hold(amount);
      times.push(arrival.promise.then((arrivedMs) => Math.max(0, arrivedMs - committedMs)));
    }
    await delay(paceMs);
  }
  return Promise.all(times);
}
