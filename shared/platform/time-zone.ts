import { Temporal } from "temporal-polyfill";
import { offsetAt, readZone, timeZoneOffsets, type Zone } from "../contract/time-zones.ts";
import { BoundedMap } from "./bounded-map.ts";

const minuteMs = 60_000;
const dayMs = 86_400_000;
/** The end of the table. Nobody knows what is later: Node's data decide. */
const tableEnds = Date.UTC(2060, 0, 1);

/**
 * Days and months do not depend on the time zone data of the Node that runs: those of two Lambdas,
 * or of a Lambda and the operator's machine, may differ. The table is the platform's own.
 */
const zones = new BoundedMap<string, Zone>(100);

function zoneOf(timeZone: string): Zone {
  return zones.getOrMake(timeZone, () => {
    const packed = timeZoneOffsets(timeZone);
    if (packed === undefined) throw new RangeError(`There is no time zone ${timeZone}.`);
    return readZone(packed);
  });
}

function offsetIn(timeZone: string, atMs: number): number {
  const zone = zoneOf(timeZone);
  if (atMs < tableEnds) return offsetAt(zone, atMs);
  const later = Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(timeZone);
  return later.offsetNanoseconds / (minuteMs * 1_000_000);
}

/** The moment as if it were in UTC. */
export function localMs(atMs: number, timeZone: string): number {
  return atMs + offsetIn(timeZone, atMs) * minuteMs;
}

/** The first moment of a day, which is given as if it were in UTC. Some begin at one o'clock. */
export function startOfDay(midnightMs: number, timeZone: string): number {
  const before = offsetIn(timeZone, midnightMs - dayMs);
  const after = offsetIn(timeZone, midnightMs + dayMs);
  const possible = [before, after]
    .map((offset) => midnightMs - offset * minuteMs)
    .filter((atMs) => localMs(atMs, timeZone) === midnightMs);
  if (possible.length > 0) return Math.min(...possible);
  // The clock jumps over midnight: the day begins when it does.
  const [earliest, latest] = [after, before].map((offset) => midnightMs - offset * minuteMs) as [
    number,
    number,
  ];
  const jump = zoneOf(timeZone).changes.find(([at]) => at * minuteMs >= earliest && at * minuteMs <= latest);
  return jump === undefined ? latest : jump[0] * minuteMs;
}
