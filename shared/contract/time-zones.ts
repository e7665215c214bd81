import { timeZoneTable } from "./time-zone-table.ts";

/** The time zones of the IANA database that Programs may have, at one version of it. */
export interface TimeZoneTable {
  readonly version: string;
  /** The names of zones with the same offsets, parted by blanks, and those offsets. */
  readonly zones: readonly (readonly [names: string, offsets: string])[];
}

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
