import { timeZoneTable } from "./time-zone-table.ts";

/** The areas whose names are places. */
const areas = "Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Europe|Indian|Pacific";
export const timeZoneName = new RegExp(`^(?:Etc/UTC|(?:${areas})/[A-Za-z_/-]+)$`);

let offsetsByName: ReadonlyMap<string, string> | undefined;

/** The offsets of a zone, or undefined. Names are as the database writes them. */
export function timeZoneOffsets(name: string): string | undefined {
  offsetsByName ??= new Map(
    timeZoneTable.zones.flatMap(([names, offsets]) => names.split(" ").map((one) => [one, offsets] as const)),
  );
  return offsetsByName.get(name);
}

export interface Zone {
  /** Minutes to the east of UTC, before the first change. */
  readonly first: number;
  /** Each says from which minute since 1970 there is which offset. */
  readonly changes: readonly (readonly [at: number, offset: number])[];
}

/** `60 120|10|<minute> <minutes later>`: offsets, which of them each change begins, and when. */
export function readZone(packed: string): Zone {
  const [offsets = "", which = "", moments = ""] = packed.split("|");
  const choices = offsets.split(" ").map(Number);
  let at = 0;
  const changes = [...which].map((digit, index) => {
    at += Number.parseInt(moments.split(" ")[index] ?? "", 36);
    return [at, choices[Number.parseInt(digit, 36)] ?? 0] as const;
  });
  return { first: choices[0] ?? 0, changes };
}

const minuteMs = 60_000;

/** In minutes. */
export function offsetAt({ first, changes }: Zone, atMs: number): number {
  let [low, high] = [0, changes.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((changes[middle]?.[0] ?? 0) * minuteMs <= atMs) low = middle + 1;
    else high = middle;
  }
  return changes[low - 1]?.[1] ?? first;
}
