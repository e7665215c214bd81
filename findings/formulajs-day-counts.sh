#!/bin/sh
# @formulajs/formulajs 4.6.1 counts days of interest in two ways: from 31 January to 28 February 2026, DAYS360 of the European method
# has 28, as 30E/360 has them (ISDA 2006, 4.16 g), and YEARFRAC with the same basis (4) 27. It leaves the 31st as it is, at both ends.
# By the American basis (0), its year from 29 February to 28 February has 359 days, and DAYS360 has 360. hyperformula 3.5.0 has YEARFRAC
# right in these. But it rounds 1.005 to 1, and 2.675 to 2.68, though floats have both a little below the half; formulajs rounds both
# up. Interest that a sheet counts anew is off by a day, or a cent. Exits with 1 if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund @formulajs/formulajs@4.6.1 hyperformula@3.5.0
cat > days.mjs <<'END'
import { DAYS360, ROUND, YEARFRAC } from "@formulajs/formulajs";
import { HyperFormula } from "hyperformula";

const sheet = HyperFormula.buildFromArray([[]], { licenseKey: "gpl-v3" });
const date = ([year, month, day]) => new Date(year, month - 1, day);
function count(from, to, basis) {
  const days = Math.round(YEARFRAC(date(from), date(to), basis) * 360);
  const others = Math.round(sheet.calculateFormula(`=YEARFRAC(DATE(${from}),DATE(${to}),${basis})`, 0) * 360);
  const own = DAYS360(date(from), date(to), basis === 4);
  console.log(`${from} to ${to} by ${basis}: ${days}, DAYS360 ${own}, hyperformula ${others}`);
}
count([2026, 1, 31], [2026, 2, 28], 4);
count([2026, 2, 28], [2026, 8, 31], 4);
count([2024, 2, 29], [2025, 2, 28], 0);
for (const amount of [1.005, 2.675])
  console.log(`${amount}: ${ROUND(amount, 2)}, hyperformula ${sheet.calculateFormula(`=ROUND(${amount},2)`, 0)}`);
END
seen=$(TZ=UTC node days.mjs)
echo "$seen"
test "$seen" = "2026,1,31 to 2026,2,28 by 4: 27, DAYS360 28, hyperformula 28
2026,2,28 to 2026,8,31 by 4: 183, DAYS360 182, hyperformula 182
2024,2,29 to 2025,2,28 by 0: 359, DAYS360 360, hyperformula 360
1.005: 1.01, hyperformula 1
2.675: 2.68, hyperformula 2.68"
