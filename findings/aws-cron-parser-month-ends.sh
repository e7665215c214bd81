#!/bin/sh
# aws-cron-parser 1.1.12 gives days to months that do not have them: of `cron(0 8 31 * ? *)` it names the 1st of October and of December
# as next ones, and of `cron(0 8 29 2 ? *)` the 1st of March in three of four years. By its page it supports the specification of AWS,
# which has days of the month, and L for the last one; croner 11.0.1 leaves such months out. Whoever shows or checks the days
# of a schedule by it, as of a monthly payout, has days on which nothing runs. Exits with 1 if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund aws-cron-parser@1.1.12 croner@11.0.1
cat > days.mjs <<'END'
import { createRequire } from "node:module";
import { Cron } from "croner";

const loaded = createRequire(import.meta.url)("aws-cron-parser");
const { parse, next } = loaded.default ?? loaded;
const from = new Date("2026-08-01T00:00:00Z");
const day = (at) => at.toISOString().slice(0, 10);

for (const [cron, usual] of [
  ["0 8 31 * ? *", "0 8 31 * *"],
  ["0 8 29 2 ? *", "0 8 29 2 *"],
  ["0 8 L * ? *", "0 8 L * *"],
]) {
  const found = [];
  for (let at = from; found.length < 4; ) found.push(day((at = next(parse(cron), at))));
  const other = new Cron(usual, { timezone: "UTC" }).nextRuns(4, from).map(day);
  console.log(`${cron}: ${found.join(" ")}, croner ${other.join(" ")}`);
}
END
seen=$(node days.mjs)
echo "$seen"
test "$seen" = "0 8 31 * ? *: 2026-08-31 2026-10-01 2026-10-31 2026-12-01, croner 2026-08-31 2026-10-31 2026-12-31 2027-01-31
0 8 29 2 ? *: 2027-03-01 2028-02-29 2029-03-01 2030-03-01, croner 2028-02-29 2032-02-29 2036-02-29 2040-02-29
0 8 L * ? *: 2026-08-31 2026-09-30 2026-10-31 2026-11-30, croner 2026-08-31 2026-09-30 2026-10-31 2026-11-30"
