import type { TimeZoneTable } from "../../../shared/contract/time-zone-table.ts";
import { offsetAt, readZone, timeZoneName, type Zone } from "../../../shared/contract/time-zones.ts";
import type { LatestZones } from "./packed-zones.ts";

const minuteMs = 60_000;
/** Programs did not exist before. */
const tableBegins = Date.UTC(2015, 0, 1);
/** Later changes are those of Node's data. */
export const tableEnds = Date.UTC(2060, 0, 1);

/**
 * The table until a moment, and the latest data from it on. So no boundary of a period that was
 * over by then moves, whatever the latest data say of the past.
 */
export function mergeZones(table: TimeZoneTable, latest: LatestZones, fromMs: number): TimeZoneTable {
  const known = new Map(
    table.zones.flatMap(([names, packed]) =>
      names.split(" ").map((name) => [name, readZone(packed)] as const),
    ),
  );
  const names = new Set([
    ...known.keys(),
    ...[...latest.zones.keys()].filter((name) => timeZoneName.test(name)),
  ]);
  const bySpelling = new Map<string, string[]>();
  for (const name of [...names].toSorted()) {
    // A name that is new has no period before.
    const spelled = spell(mergeZone(known.get(name), latest.zones.get(name), fromMs));
    bySpelling.set(spelled, [...(bySpelling.get(spelled) ?? []), name]);
  }
  return {
    version: latest.version,
    zones: [...bySpelling].map(([spelled, same]) => [same.join(" "), spelled] as const),
  };
}

function mergeZone(known: Zone | undefined, latest: Zone | undefined, fromMs: number): Zone {
  const [before, after] = [known ?? latest, latest ?? known];
  if (!before || !after) throw new Error("A zone is in neither.");
  const cut = fromMs / minuteMs;
  const changes = [
    ...before.changes.filter(([at]) => at < cut),
    [cut, offsetAt(after, fromMs)] as const,
    ...after.changes.filter(([at]) => at > cut),
  ];
  return withoutRepeats(before.first, changes);
}

/** Within the table's time, and without changes that change nothing. */
function withoutRepeats(first: number, changes: Zone["changes"]): Zone {
  const within = changes.filter(([at]) => at > tableBegins / minuteMs && at < tableEnds / minuteMs);
  const begin = changes.findLast(([at]) => at <= tableBegins / minuteMs)?.[1] ?? first;
  let last = begin;
  const real = within.filter(([, offset]) => {
    const isChange = offset !== last;
    last = offset;
    return isChange;
  });
  return { first: begin, changes: real };
}

/** As `readZone` reads it. */
function spell({ first, changes }: Zone): string {
  const offsets = [...new Set([first, ...changes.map(([, offset]) => offset)])];
  const which = changes.map(([, offset]) => offsets.indexOf(offset).toString(36)).join("");
  const moments = changes.map(([at], index) => at - (changes[index - 1]?.[0] ?? 0));
  return [offsets.join(" "), which, moments.map((minutes) => minutes.toString(36)).join(" ")].join("|");
}

/** The module of the table. */
export function printTable({ version, zones }: TimeZoneTable): string {
  const rows = zones.map((row) => `    ${JSON.stringify(row)},`);
  return `/** The time zones of the IANA database that Programs may have, at one version of it. */
export interface TimeZoneTable {
  readonly version: string;
  /** The names of zones with the same offsets, parted by blanks, and those offsets. */
  readonly zones: readonly (readonly [names: string, offsets: string])[];
}

/** Written by \`npm run time-zones\`. */
export const timeZoneTable: TimeZoneTable = {
  version: ${JSON.stringify(version)},
  // biome-ignore format: a line for each
  zones: [
${rows.join("\n")}
  ],
};
`;
}
