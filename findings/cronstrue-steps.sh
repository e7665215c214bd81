#!/bin/sh
# cronstrue 3.39.0 tells other times than a schedule has. `*/45 * * * *` is "Every 45 minutes", but it is minutes 0 and 45 of each hour, a
# quarter of an hour apart every other time; and `0 8 1 * MON` is "on day 1 of the month, and on Monday", but where both are given, either
# is enough (crontab(5), POSIX crontab), so it is each Monday, too. croner 11.0.1 has the right times of both. Who reads
# the text on a page that plans reports takes them for something else. Exits with 1 if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund cronstrue@3.39.0 croner@11.0.1
cat > tell.mjs <<'END'
import { Cron } from "croner";
import cronstrue from "cronstrue";

for (const schedule of ["*/45 * * * *", "0 8 1 * MON"]) {
  const runs = new Cron(schedule, { timezone: "UTC" }).nextRuns(4, new Date("2026-03-31T12:00:00Z"));
  const times = runs.map((run) => run.toISOString().slice(5, 16));
  console.log(`${schedule}: ${cronstrue.toString(schedule)}; ${times.join(", ")}`);
}
END
seen=$(node tell.mjs)
echo "$seen"
test "$seen" = "*/45 * * * *: Every 45 minutes; 03-31T12:45, 03-31T13:00, 03-31T13:45, 03-31T14:00
0 8 1 * MON: At 08:00 AM, on day 1 of the month, and on Monday; 04-01T08:00, 04-06T08:00, 04-13T08:00, 04-20T08:00"
