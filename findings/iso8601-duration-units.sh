#!/bin/sh
# iso8601-duration 2.1.4 refuses P0.5D, an example of a valid duration on its own page: of days, weeks, months and years it reads whole
# numbers alone, of hours, minutes and seconds fractions, too. And a month from 31 January ends on 3 March: `end` counts on past
# February, where luxon 3.7.2 and Temporal (temporal-polyfill 1.0.8), which its page names as the measure of its tests, have the
# 28th. A period that is billed by the month skips February, and ends after the next one. Exits with 1 if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund iso8601-duration@2.1.4 temporal-polyfill@1.0.8 luxon@3.7.2
cat > durations.mjs <<'END'
import { end, parse } from "iso8601-duration";
import { DateTime, Duration } from "luxon";
import { Temporal } from "temporal-polyfill";

const print = (name, read) => {
  try {
    console.log(`${name}: ${read()}`);
  } catch (error) {
    console.log(`${name}: ${error.name}`);
  }
};
print("P0.5D", () => parse("P0.5D").days);
print("P0.5D by luxon", () => Duration.fromISO("P0.5D").as("hours"));
for (const duration of ["P1M", "P3M"]) {
  const day = "2026-01-31";
  print(duration, () => end(parse(duration), new Date(`${day}T12:00:00Z`)).toISOString().slice(0, 10));
  print(`${duration} by Temporal`, () => Temporal.PlainDate.from(day).add(duration));
  print(`${duration} by luxon`, () => DateTime.fromISO(day).plus(Duration.fromISO(duration)).toISODate());
}
END
seen=$(TZ=UTC node durations.mjs)
echo "$seen"
test "$seen" = "P0.5D: RangeError
P0.5D by luxon: 12
P1M: 2026-03-03
P1M by Temporal: 2026-02-28
P1M by luxon: 2026-02-28
P3M: 2026-05-01
P3M by Temporal: 2026-04-30
P3M by luxon: 2026-04-30"
