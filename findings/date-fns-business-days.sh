#!/bin/sh
# date-fns 4.4.0 counts business days in two ways that do not fit. `addBusinessDays` of a Saturday and 1 is Monday, but
# `differenceInBusinessDays` from that Saturday to Monday is 0, and from Monday back to it -1; from Friday to Saturday it is 1, and
# back 0. Whether money that came on a weekend is a day late depends on which of the two, and which way, was asked.
# Exits with 1 if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund date-fns@4.4.0
cat > days.mjs <<'END'
import { addBusinessDays, differenceInBusinessDays, format } from "date-fns";

const [friday, saturday, monday] = [27, 28, 30].map((day) => new Date(2026, 2, day));
const days = { friday, saturday, monday };
console.log(`saturday and 1: ${format(addBusinessDays(saturday, 1), "eeee")}`);
for (const [from, to] of [["saturday", "monday"], ["monday", "saturday"], ["friday", "saturday"], ["saturday", "friday"]])
  console.log(`${from} to ${to}: ${differenceInBusinessDays(days[to], days[from])}`);
END
seen=$(TZ=UTC node days.mjs)
echo "$seen"
test "$seen" = "saturday and 1: Monday
saturday to monday: 0
monday to saturday: -1
friday to saturday: 1
saturday to friday: 0"
