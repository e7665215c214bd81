#!/bin/sh
# spacetime 7.15.0 has Casablanca at +00:00 all spring and summer of 2026. Morocco was at +01:00 from the end of Ramadan, 22 March, to
# 20 September (tzdata 2026f), and so has moment-timezone 0.6.6. A Moroccan day or month that ends by spacetime ends
# an hour late, so that its last entries are on another statement. Exits with 1 if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund spacetime@7.15.0 moment-timezone@0.6.6
cat > days.mjs <<'END'
import moment from "moment-timezone";
import spacetime from "spacetime";

const zone = "Africa/Casablanca";
for (const day of ["2026-01-15", "2026-03-01", "2026-04-15", "2026-07-15", "2026-08-31"]) {
  const noon = `${day}T12:00:00Z`;
  console.log(`${day}: spacetime ${spacetime(noon).goto(zone).offset()}, moment ${moment.tz(noon, zone).utcOffset()}`);
}
END
seen=$(node days.mjs)
echo "$seen"
test "$seen" = "2026-01-15: spacetime 60, moment 60
2026-03-01: spacetime 0, moment 0
2026-04-15: spacetime 0, moment 60
2026-07-15: spacetime 0, moment 60
2026-08-31: spacetime 0, moment 60"
