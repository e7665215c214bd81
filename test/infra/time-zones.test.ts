import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { installTool } from "../../infra/tools/install-tool.ts";
import { type TimeZoneTable, timeZoneTable } from "../../shared/contract/time-zone-table.ts";
import { offsetAt, readZone, timeZoneOffsets } from "../../shared/contract/time-zones.ts";
import { mergeZones, printTable } from "../tools/time-zones/merge-zones.ts";
import { readPackedZones } from "../tools/time-zones/packed-zones.ts";

const root = path.join(import.meta.dirname, "../..");
const packed = path.join(installTool("time-zones"), "moment-timezone/data/packed/latest.json");
const latest = readPackedZones(JSON.parse(readFileSync(packed, "utf8")));
const changed = (zone: { first: number; changes: readonly (readonly [number, number])[] }) => ({
  version: "next",
  zones: new Map([["Europe/Berlin", zone]]),
});
const minute = (moment: string) => Date.parse(moment) / 60_000;
const offsetOf = (table: TimeZoneTable, name: string, moment: string) => {
  const row = table.zones.find(([names]) => names.split(" ").includes(name));
  return offsetAt(readZone(row?.[1] ?? ""), Date.parse(moment));
};

describe("npm run time-zones", () => {
  it("has taken the data of the pinned moment-timezone: run it after an update, with a date to come", () => {
    expect(timeZoneTable.version).toBe(latest.version);
    const moments: number[] = [];
    for (let at = Date.UTC(2027, 0, 1); at < Date.UTC(2040, 0, 1); at += 9 * 86_400_000) moments.push(at);
    for (const [name, zone] of latest.zones) {
      const offsets = timeZoneOffsets(name);
      if (offsets === undefined) continue;
      const ours = readZone(offsets);
      const others = moments.filter((at) => offsetAt(ours, at) !== offsetAt(zone, at));
      expect(others.map((at) => `${name} ${new Date(at).toJSON()}`)).toEqual([]);
    }
  });

  it("changes nothing if it is run again, from whatever day", () => {
    for (const day of ["2020-01-01", "2026-12-01", "2031-07-01"])
      expect(mergeZones(timeZoneTable, latest, Date.parse(day))).toEqual(timeZoneTable);
    const file = path.join(root, "shared/contract/time-zone-table.ts");
    expect(printTable(timeZoneTable)).toBe(readFileSync(file, "utf8"));
  });

  it("keeps what was before its day, whatever the new data say of it", () => {
    const rewritten = changed({ first: 180, changes: [[minute("2028-06-01"), 240]] });
    const merged = mergeZones(timeZoneTable, rewritten, Date.parse("2027-06-15"));
    const at = (moment: string) => offsetOf(merged, "Europe/Berlin", moment);
    expect(["2026-01-01", "2026-07-01", "2027-01-01", "2027-06-14T23:59:59Z"].map(at)).toEqual([
      60, 120, 60, 120,
    ]);
    expect(["2027-06-15", "2028-05-31T23:59:59Z", "2028-06-01", "2059-01-01"].map(at)).toEqual([
      180, 180, 240, 240,
    ]);
    // Others stay, and no zone is lost that the new data do not have.
    expect(offsetOf(merged, "Europe/Paris", "2027-07-01")).toBe(120);
    const names = ({ zones }: TimeZoneTable) => zones.flatMap(([same]) => same.split(" ")).toSorted();
    expect(names(merged)).toEqual(names(timeZoneTable));
  });
});
