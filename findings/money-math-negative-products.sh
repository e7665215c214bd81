#!/bin/sh
# money-math 2.6.3 gets products and quotients of negative amounts wrong by up to two cents: 10.18 times 0.05 is 0.51, and -10.18 times
# 0.05 is -0.49, where -0.509 is exact. It rounds by adding a cent, also below zero, so a refund does not give back the
# fee that was charged. By its own page, results are rounded to the whole cent. Exits with 1 if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund money-math@2.6.3
cat > fees.cjs <<'END'
const money = require("money-math");

for (const amount of ["10.18", "-10.18"]) {
  const fee = money.percent(amount, "5.00");
  console.log(`${amount}: fee ${fee}, product ${money.mul(amount, "0.05")}, quotient ${money.div(amount, "20.00")}`);
}
console.log(`charged and given back: ${money.add(money.percent("10.18", "5.00"), money.percent("-10.18", "5.00"))}`);
END
seen=$(node fees.cjs)
echo "$seen"
test "$seen" = "10.18: fee 0.51, product 0.51, quotient 0.51
-10.18: fee -0.50, product -0.49, quotient -0.49
charged and given back: 0.01"
