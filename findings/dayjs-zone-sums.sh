#!/bin/sh
# dayjs 1.11.23 with its plugin `timezone` keeps the offset of the day that it adds to. Berlin's month that begins on 2026-03-01
# ends by `add(1, "month")` at 2026-04-01T00:00:00+01:00, but on that day Berlin has +02:00: the month is an hour too long, and
# April's first entries are in both. The instant is that only where the process runs in UTC, as in Lambda; in Berlin the same code
# gives the right instant, printed with the wrong offset. luxon 3.7.2 has the right one everywhere. Exits with 1 if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund dayjs@1.11.23 luxon@3.7.2
cat > months.cjs <<'END'
const dayjs = require("dayjs");
const { DateTime } = require("luxon");
dayjs.extend(require("dayjs/plugin/utc"));
dayjs.extend(require("dayjs/plugin/timezone"));

const zone = "Europe/Berlin";
const next = dayjs.tz("2026-03-01 00:00", zone).add(1, "month");
const begun = dayjs.tz("2026-04-01 00:00", zone);
const right = DateTime.fromISO("2026-03-01T00:00", { zone }).plus({ months: 1 });
console.log(`process in ${process.env.TZ}`);
console.log(`dayjs, March's end: ${next.format()}, ${next.toISOString()}`);
console.log(`dayjs, April's beginning: ${begun.format()}, ${begun.toISOString()}`);
console.log(`luxon, March's end: ${right.toISO({ suppressMilliseconds: true })}, ${right.toUTC().toISO()}`);
END
seen=$(TZ=UTC node months.cjs && TZ=Europe/Berlin node months.cjs)
echo "$seen"
test "$seen" = "process in UTC
dayjs, March's end: 2026-04-01T00:00:00+01:00, 2026-03-31T23:00:00.000Z
dayjs, April's beginning: 2026-04-01T00:00:00+02:00, 2026-03-31T22:00:00.000Z
luxon, March's end: 2026-04-01T00:00:00+02:00, 2026-03-31T22:00:00.000Z
process in Europe/Berlin
dayjs, March's end: 2026-04-01T00:00:00+01:00, 2026-03-31T22:00:00.000Z
dayjs, April's beginning: 2026-04-01T00:00:00+02:00, 2026-03-31T22:00:00.000Z
luxon, March's end: 2026-04-01T00:00:00+02:00, 2026-03-31T22:00:00.000Z"
