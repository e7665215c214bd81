#!/bin/sh
# date-holidays 3.37.0 moves an American holiday on a Saturday to the Friday before (2026-07-03, 2027-12-24), as offices of
# the government do. Banks do not: the Federal Reserve is open on that Friday and settles
# (www.federalreserve.gov/aboutthefed/k8.htm), and its data for the US has no day of the type `bank` to tell them apart.
# A count of business days by it makes an ACH payment a day late. Exits with 1 if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund date-holidays@3.37.0
cat > days.mjs <<'END'
import Holidays from "date-holidays";

const american = new Holidays("US");
const days = [2026, 2027].flatMap((year) => american.getHolidays(year));
for (const day of ["2026-07-03", "2027-06-18", "2027-07-05", "2027-12-24"])
  console.log(day, days.find(({ date, substitute }) => date.startsWith(day) && substitute)?.type ?? "open");
console.log("bank holidays:", days.filter(({ type }) => type === "bank").length);
END
seen=$(node days.mjs)
echo "$seen"
test "$seen" = "2026-07-03 public
2027-06-18 public
2027-07-05 public
2027-12-24 public
bank holidays: 0"
