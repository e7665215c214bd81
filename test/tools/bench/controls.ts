import type { ChildProcess } from "node:child_process";
import { handler } from "../../../functions/controls/handler.ts";
import { apiEvent } from "../../harness/api-event.ts";
import type { RejectedOverlaps } from "../../harness/conflicts.ts";
import { givenActiveControls } from "../../harness/given-active-controls.ts";
import { givenStoredCard, givenStoredProgram } from "../../harness/given-stored.ts";
import { replay } from "../../harness/replay.ts";
import { type Round, refusedIn, runRound, summary, withCallers } from "./caller-processes.ts";
import type { Work } from "./controls-callers.ts";
import { percentile, progress, type Row } from "./report.ts";

const processes = 4;
const callersInProcess = 16;
/**
 * As long as keeps 64 callers at half of what two cores can do: in AWS, a transaction of eight
 * items is as fast as one of six, while the engine here needs half as much again for it.
 */
const callMs = 500;
const secondsInRound = 8;
/** Until each caller has a part of its own: with calls this slow, that takes long. */
const warmUps = 3;
const rounds = 2;

export const columns = [
  "64 callers",
  "authorizations/s",
  "p99 ms",
  "calls each",
  "conflicts",
  "cores busy",
  "refused",
  "ratio",
];

export function authorizing(engine: string) {
  return { engine, script: "controls-callers.ts", count: processes, store: { callMs } };
}

/** Authorizations under a velocity of the whole Program, against the same without it. */
export function controls(engine: string): Promise<Row[]> {
  return withCallers(authorizing(engine), async (children, store) => {
    const rows: Row[] = [];
    for (const cardCount of [100, 1_000]) rows.push(...(await compare(children, store, cardCount)));
    return rows;
  });
}

async function compare(
  children: readonly ChildProcess[],
  store: RejectedOverlaps,
  cardCount: number,
): Promise<Row[]> {
  progress(`${cardCount} Cards, twice`);
  const [without, under] = [await givenCards(cardCount), await givenCards(cardCount)];
  const [cardId = ""] = under.cardIds;
  const velocity = { amount: 1_000_000_000, count: 1_000_000, window: "month" } as const;
  const given = await givenActiveControls({ ...under, cardId }, [{ owner: "program", rules: { velocity } }]);
  // Opens connections, reads Cards, splits the usage, and finds a part for each caller.
  // The round that splits it is one more: it reads few Cards.
  const first = [await run(children, under, store)];
  for (let round = 1; round <= warmUps; round += 1) {
    await run(children, without, store);
    first.push(await run(children, under, store));
  }
  const measured: [Round[], Round[]] = [[], []];
  for (let round = 1; round <= rounds; round += 1) {
    progress(`${cardCount} Cards, round ${round} of ${rounds}`);
    measured[0].push(await run(children, without, store));
    measured[1].push(await run(children, under, store));
  }
  const approved = [...first, ...measured[1]].reduce((sum, { tookMs }) => sum + tookMs.length, 0);
  await assertExact(under.programId, given[0] ?? "", approved);
  const [free, limited] = [summary(measured[0]), summary(measured[1])];
  return [
    toRow(`${cardCount} Cards`, free),
    toRow(`${cardCount} Cards, one velocity`, limited, limited.rate / free.rate),
  ];
}

export async function givenCards(cardCount: number) {
  const programId = await givenStoredProgram();
  const cardIds: string[] = [];
  while (cardIds.length < cardCount) {
    const some = Array.from({ length: 50 }, () => givenStoredCard(programId, 1, 1_000_000_000));
    cardIds.push(...(await Promise.all(some)));
  }
  return { programId, cardIds };
}

export function run(
  children: readonly ChildProcess[],
  cards: Pick<Work, "programId" | "cardIds">,
  store: RejectedOverlaps,
): Promise<Round> {
  const work = { ...cards, callers: callersInProcess, seconds: secondsInRound } satisfies Work;
  return runRound(children, store, () => work);
}

/** Each approval counted once. */
async function assertExact(programId: string, controlId: string, approved: number): Promise<void> {
  const event = apiEvent({
    route: "GET /controls/{controlId}/usage",
    path: { controlId },
    caller: { programId },
  });
  const { used } = (await replay(handler, event)).body.data;
  if (used.amount !== approved || used.count !== approved)
    throw new Error(`${approved} authorizations were approved, and counted as ${JSON.stringify(used)}.`);
}

export function toRow(name: string, round: Round, ratio?: number): Row {
  const { tookMs, refused, rate, calls, conflicts, coresBusy } = round;
  const cells = [
    name,
    rate.toFixed(0),
    percentile(tookMs, 99).toFixed(0),
    calls.toFixed(2),
    conflicts.toFixed(2),
    coresBusy.toFixed(2),
    refused.length,
    ratio?.toFixed(2) ?? "",
  ];
  return { cells, broken: refusedIn(name, round) };
}
