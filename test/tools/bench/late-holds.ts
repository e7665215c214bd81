import { BatchWriteCommand, GetCommand } from "@aws-sdk/lib-dynamodb";
import { sweep } from "../../../functions/deadlines/sweep.ts";
import { moveDate } from "../../../infra/local/moved-date.ts";
import { cards } from "../../../shared/cards/card.ts";
import { maintenanceDeadline } from "../../../shared/cards/maintenance-deadline.ts";
import { cardChanges } from "../../../shared/network-events/apply/card-changes.ts";
import { applyEvent } from "../../../shared/network-events/apply/execute-event.ts";
import { timestamp } from "../../../shared/platform/clock.ts";
import { deadlinePut } from "../../../shared/platform/deadlines.ts";
import { environment } from "../../../shared/platform/environment.ts";
import { newId } from "../../../shared/platform/id.ts";
import { table } from "../../../shared/platform/table/client.ts";
import { givenNetwork } from "../../harness/given-network.ts";
import { givenStoredCard } from "../../harness/given-stored.ts";
import { percentile, progress, type Row } from "./report.ts";

export const columns = [
  "charges due at once",
  "charged after min",
  "a second",
  "holds",
  "delay p50 s",
  "longest s",
  "limit",
];

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const holdLifetimeMs = 7 * 24 * hourMs;
/** A sweep's time limit less what it keeps for the deadlines under way. */
const sweepMs = 45_000;
const limitSeconds = 120;
const holds = 240;
const writers = 8;

const offset = new SharedArrayBuffer(8);
const offsetMs = new BigInt64Array(offset);
let realNow = Date.now;

/**
 * How late holds expire while many maintenance charges are due. Time is simulated: a sweep begins
 * every minute and takes its real time.
 */
export async function delaysOfHolds(charges: number): Promise<Row[]> {
  realNow = Date.now.bind(Date);
  moveDate(offset);
  const start = Math.ceil((realNow() + 40 * 24 * hourMs) / hourMs) * hourMs;
  const network = await givenNetwork({ availableMinor: 1_000_000 });
  await network.setProgram({ feeSchedule: [{ feeType: 2, amount: 200, basisPoints: 0 }] });
  await placeHolds(network.programId, start);
  setTime(start);
  await writeCharges(network.programId, network.cardId, charges, start);

  const expired = watchExpiries(start);
  let chargedAfterMs = 0;
  let workedMs = 0;
  for (let minute = 0; expired.delays.length < holds || chargedAfterMs === 0; minute += 1) {
    if (minute > 240) throw new Error("The charges did not come to an end within four hours.");
    setTime(start + minute * minuteMs);
    const began = performance.now();
    let timeIsUp = false;
    await sweep(() => {
      timeIsUp ||= performance.now() - began > sweepMs;
      return !timeIsUp;
    });
    const tookMs = performance.now() - began;
    if (chargedAfterMs === 0) workedMs += tookMs;
    if (!timeIsUp && chargedAfterMs === 0) chargedAfterMs = minute * minuteMs + tookMs;
    progress(`minute ${minute}: ${expired.delays.length} of ${holds} holds expired`);
  }
  expired.stop();
  const [p50, longest] = [percentile(expired.delays, 50) / 1000, percentile(expired.delays, 100) / 1000];
  const rate = charges / (workedMs / 1000);
  return [
    {
      cells: [
        charges,
        (chargedAfterMs / minuteMs).toFixed(1),
        rate.toFixed(0),
        holds,
        p50.toFixed(1),
        longest.toFixed(1),
        limitSeconds,
      ],
      broken:
        longest > limitSeconds
          ? `A hold expired ${longest.toFixed(0)} s late beside ${charges} charges.`
          : undefined,
    },
  ];
}

function setTime(at: number): void {
  offsetMs[0] = BigInt(Math.round(at - realNow()));
}

/** Holds on cards of their own, which expire evenly spread over the hour. */
async function placeHolds(programId: string, start: number): Promise<void> {
  for (let index = 0; index < holds; index += 1) {
    progress(`hold ${index}`);
    const cardId = await givenStoredCard(programId, 1, 1_000);
    setTime(start + (index * hourMs) / holds - holdLifetimeMs);
    const authorizationId = `late-${index}`;
    const eventId = newId("event");
    const event = { kind: "authorization", eventId, programId, cardId, authorizationId, amount: 1 } as const;
    const result = await applyEvent(cardChanges, event);
    if (result.outcome !== "applied") throw new Error("The hold was not placed.");
  }
}

/** Copies of a card, each with a maintenance charge that is due at `start`. */
async function writeCharges(programId: string, cardId: string, count: number, start: number): Promise<void> {
  const TableName = environment.issuingTable;
  const { Item: card } = await table.send(new GetCommand({ TableName, Key: cards.key(programId, cardId) }));
  const createdAt = timestamp(new Date(start));
  let written = 0;
  const writeSome = async () => {
    while (written < count) {
      const some = Math.min(12, count - written);
      written += some;
      progress(`charges: ${written}`);
      const items = Array.from({ length: some }, () => {
        const entityId = newId("card");
        const deadline = maintenanceDeadline(programId, { entityId, createdAt }, new Date(start));
        const put = deadlinePut({ ...deadline, dueAt: new Date(start) });
        const copy = { ...card, ...cards.key(programId, entityId), entityId, createdAt };
        return [copy, "Put" in put ? put.Put.Item : undefined];
      });
      const requests = items.flat().map((Item) => ({ PutRequest: { Item } }));
      await table.send(new BatchWriteCommand({ RequestItems: { [TableName]: requests } }));
    }
  };
  await Promise.all(Array.from({ length: writers }, writeSome));
}

/** Notes how long after its time each hold's expiry was committed. */
function watchExpiries(start: number): { readonly delays: number[]; stop(): void } {
  const delays: number[] = [];
  const name = "bench-expiries";
  table.middlewareStack.add(
    (next, context) => async (args) => {
      const answer = await next(args);
      if (!String(context.commandName).startsWith("TransactWrite")) return answer;
      const index = /hold:late-(\d+)/.exec(JSON.stringify(args.input))?.[1];
      if (index !== undefined) delays.push(Date.now() - start - (Number(index) * hourMs) / holds);
      return answer;
    },
    { step: "initialize", name },
  );
  return { delays, stop: () => void table.middlewareStack.remove(name) };
}
