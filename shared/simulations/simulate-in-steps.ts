import { deflateSync, inflateSync } from "node:zlib";
import * as z from "zod";
import type { OutboxEvent } from "../contract/outbox.ts";
import type { CardControls } from "../controls/read-controls.ts";
import { dayMs, monotonicMs, now, unixSeconds } from "../platform/clock.ts";
import { randomToken } from "../platform/id.ts";
import { type BatchWrite, writeBatch } from "../platform/table/batch.ts";
import { declareKey } from "../platform/table/keys.ts";
import { readItems, toPartitionQuery } from "../platform/table/query.ts";
import { stepWorkMs } from "../platform/time-budget.ts";
import { compareMovements } from "./card-history.ts";
import type { Movement } from "./movement.ts";
import { collectCards, newRun, type SimulationScope } from "./simulate.ts";
import type { CardStart, WalletStart } from "./simulated-card.ts";
import { advanceSimulation, type Simulation, simulations, toScope } from "./simulation.ts";
import type { RunState } from "./simulation-run.ts";
import { findWalletIds, readWalletHistory } from "./wallet-history.ts";

/** Some Cards are read, and their records kept by day; then the days are simulated. */
const Step = z.object({
  simulationId: z.string(),
  step: z.int().default(0),
  progressPercent: z.int().default(0),
  cardsRead: z.int().default(0),
  areCardsRead: z.boolean().default(false),
  walletsRead: z.int().default(0),
  isCollected: z.boolean().default(false),
  /** Days since 1970. */
  firstDay: z.int().optional(),
  day: z.int().optional(),
  /** Records of the day that were taken. */
  taken: z.int().default(0),
  /** Names of what the steps before kept. What a killed step kept has another one. */
  states: z.array(z.string()).default([]),
});
type Step = z.output<typeof Step>;

/** Few: a page must be read within a step, also if they are used a thousand times a day. */
const cardsInPage = 10;

/**
 * Takes one step, and returns the next one. A repeated message takes the same step: what a step
 * keeps is not changed by later ones.
 */
export async function simulateInSteps(event: OutboxEvent, workMs = stepWorkMs): Promise<Step | undefined> {
  const { programId } = event;
  const step = Step.parse(event.detail);
  const { simulationId, progressPercent } = step;
  if (!(await advanceSimulation({ programId, ...step }, { progressPercent }, now()))) return undefined;
  const simulation = await simulations.at(programId, simulationId).require();
  const work = step.isCollected ? simulateDays : collect;
  const progress = await work(toScope(simulation), step, toParts(simulation), monotonicMs() + workMs);
  return progress && { ...step, ...progress, step: step.step + 1 };
}

type PartsNamed = (name: string) => Parts;

const toParts =
  ({ programId, simulationId }: Simulation): PartsNamed =>
  (name) => ({ programId, simulationId, name });

/** Undefined when the simulation is done. */
type Work = (
  scope: SimulationScope,
  step: Step,
  parts: PartsNamed,
  endsAtMs: number,
) => Promise<Partial<Step> | undefined>;

type KeptCard = CardStart & Pick<CardControls, "card" | "cardholder">;

const collect: Work = async (scope, step, parts, endsAtMs) =>
  step.areCardsRead
    ? collectWallets(scope, step, parts, endsAtMs)
    : collectSomeCards(scope, step, parts, endsAtMs);

const collectSomeCards: Work = async (scope, { cardsRead, ...step }, parts, endsAtMs) => {
  let firstDay = step.firstDay ?? toDay(scope.since.getTime());
  let [read, total] = [cardsRead, 0];
  do {
    const page = await collectCards(scope, { offset: read, limit: cardsInPage });
    const kept = page.cards.map(({ start, controls: { card, cardholder } }) => ({
      ...start,
      card,
      cardholder,
    }));
    await writeParts(parts("CARDS"), read, kept);
    const movements = page.cards.flatMap((one) => one.movements);
    firstDay = Math.min(firstDay, await writeDays(parts, read, movements));
    read += cardsInPage;
    total = page.total;
  } while (read < total && monotonicMs() < endsAtMs);
  const share = Math.min(1, read / Math.max(1, total));
  return { cardsRead: read, areCardsRead: read >= total, firstDay, progressPercent: Math.floor(40 * share) };
};

/** Behind the Cards, of which there are fewer. */
const firstWallet = 50_000_000;

/** The Wallets that have paid for any of the Cards. */
const collectWallets: Work = async (scope, { walletsRead, ...step }, parts, endsAtMs) => {
  const { programId, until } = scope;
  const cards: Pick<CardStart, "cardId" | "fromMs" | "walletIds">[] = [];
  for await (const { cardId, fromMs, walletIds } of readParts<KeptCard>(parts("CARDS")))
    if (walletIds.length > 0) cards.push({ cardId, fromMs, walletIds });
  const ids = findWalletIds(cards);
  let firstDay = step.firstDay ?? toDay(scope.since.getTime());
  let read = walletsRead;
  do {
    const walletId = ids[read];
    if (walletId === undefined) break;
    const { start, movements } = await readWalletHistory({ programId, walletId, cards, until });
    await writeParts(parts("WALLETS"), read, [start]);
    firstDay = Math.min(firstDay, await writeDays(parts, firstWallet + read, movements));
    read += 1;
  } while (monotonicMs() < endsAtMs);
  const share = ids.length === 0 ? 1 : read / ids.length;
  const progressPercent = 40 + Math.floor(10 * share);
  return { walletsRead: read, isCollected: read >= ids.length, firstDay, progressPercent };
};

/** Returns the first of the days. */
async function writeDays(parts: PartsNamed, first: number, movements: readonly Movement[]): Promise<number> {
  const days = Map.groupBy(movements, ({ atMs }) => toDay(atMs));
  for (const [day, ofDay] of days) await writeParts(parts(nameOfDay(day)), first, ofDay);
  return Math.min(...days.keys());
}

const simulateDays: Work = async (scope, step, parts, endsAtMs) => {
  const firstDay = step.firstDay ?? toDay(scope.since.getTime());
  const lastDay = toDay(scope.until.getTime());
  const run = newRun(scope);
  for await (const { card, cardholder, ...start } of readParts<KeptCard>(parts("CARDS"))) {
    run.addCard(start, { program: scope.side, card, cardholder });
  }
  for await (const start of readParts<WalletStart>(parts("WALLETS"))) run.addWallet(start);
  for (const name of step.states) {
    for await (const part of readParts<RunState>(parts(name))) run.restore(part);
  }
  let { taken } = step;
  for (let day = step.day ?? firstDay; day <= lastDay; day += 1) {
    const movements = await readDay(parts(nameOfDay(day)));
    for (; taken < movements.length; taken += 1) {
      run.take(movements[taken] as Movement);
      if (monotonicMs() < endsAtMs) continue;
      const name = `STATE#${randomToken(9)}`;
      await writeParts(parts(name), 0, run.state());
      const share = (day - firstDay) / (lastDay - firstDay + 1);
      const states = [...step.states, name];
      return { day, taken: taken + 1, states, progressPercent: 50 + Math.floor(50 * share) };
    }
    taken = 0;
  }
  const { programId, simulationId } = parts("");
  const done = { programId, simulationId, step: step.step };
  await advanceSimulation(done, { progressPercent: 100, result: run.result }, now());
  return undefined;
};

async function readDay(parts: Parts): Promise<Movement[]> {
  const movements: Movement[] = [];
  for await (const movement of readParts<Movement>(parts)) movements.push(movement);
  return movements.sort(compareMovements);
}

const toDay = (atMs: number) => Math.floor(atMs / dayMs);
const nameOfDay = (day: number) => `DAY#${day}`;

/** What a simulation has read or decided so far, for its next step. */
export interface Parts {
  readonly programId: string;
  readonly simulationId: string;
  readonly name: string;
}

const partKey = declareKey(
  "simulation part",
  ({ programId, simulationId, name }: Parts, first: number, number: number) => ({
    pk: `${programId}#SIMULATION#${simulationId}#${name}`,
    sk: `${String(first).padStart(8, "0")}#${String(number).padStart(6, "0")}`,
  }),
);

/** Steps follow each other at once: a simulation of a million events takes minutes. */
const keptMs = 2 * 86_400_000;
/** DynamoDB's limit is 400 KB. */
const maximumBytes = 300_000;
const valuesInPart = 4_000;

/** Replaces the parts that a repetition wrote under the same first key. */
async function writeParts(parts: Parts, first: number, values: Iterable<unknown>): Promise<void> {
  await writeBatch(toPuts(parts, first, values));
}

function* toPuts(parts: Parts, first: number, values: Iterable<unknown>): Generator<BatchWrite> {
  const expiresAtSeconds = unixSeconds(new Date(now().getTime() + keptMs));
  let number = 0;
  for (const packed of pack(values)) {
    yield { put: { ...partKey(parts, first, number), ...{ packed, expiresAtSeconds } } };
    number += 1;
  }
}

function* pack(values: Iterable<unknown>): Generator<Uint8Array> {
  let part: unknown[] = [];
  for (const value of values) {
    if (part.push(value) < valuesInPart) continue;
    yield* packOne(part);
    part = [];
  }
  if (part.length > 0) yield* packOne(part);
}

function* packOne(values: readonly unknown[]): Generator<Uint8Array> {
  const packed = deflateSync(JSON.stringify(values));
  if (packed.length <= maximumBytes || values.length === 1) return yield packed;
  const half = Math.ceil(values.length / 2);
  yield* packOne(values.slice(0, half));
  yield* packOne(values.slice(half));
}

/** In the order in which they were written. */
export async function* readParts<T>(parts: Parts): AsyncGenerator<T> {
  for await (const { packed } of readItems(toPartitionQuery(partKey(parts, 0, 0).pk))) {
    yield* JSON.parse(inflateSync(packed as Uint8Array).toString("utf8")) as T[];
  }
}
