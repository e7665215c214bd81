#!/bin/sh
# accounting 0.4.1: `toFixed` treats floats more like decimals, says its page, so that 0.615 is 0.62. But -0.615 is -0.61 there, while
# `formatNumber` and `formatMoney` give -0.62 for the same amount, and 1.005 is 1.00 and 10.075 10.07 in all three. A fee and its
# reversal differ by a cent, and so do a table and its export. currency.js 2.0.4 has -0.61 for -0.615 and 0.62 for 0.615, too;
# big.js 7.0.1 rounds both alike. Exits with 1 if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund accounting@0.4.1 currency.js@2.0.4 big.js@7.0.1
cat > cents.mjs <<'END'
import accounting from "accounting";
import Big from "big.js";
import currency from "currency.js";

for (const amount of [0.615, -0.615, 2.675, -2.675, 1.005, 10.075]) {
  const { toFixed, formatNumber, formatMoney } = accounting;
  const ofAccounting = `${toFixed(amount, 2)} ${formatNumber(amount, 2)} ${formatMoney(amount)}`;
  console.log(`${amount}: accounting ${ofAccounting}, currency.js ${currency(amount)}, big.js ${Big(amount).toFixed(2)}`);
}
END
seen=$(node cents.mjs)
echo "$seen"
test "$seen" = '0.615: accounting 0.62 0.62 $0.62, currency.js 0.62, big.js 0.62
-0.615: accounting -0.61 -0.62 $-0.62, currency.js -0.61, big.js -0.62
2.675: accounting 2.68 2.68 $2.68, currency.js 2.68, big.js 2.68
-2.675: accounting -2.67 -2.68 $-2.68, currency.js -2.67, big.js -2.68
1.005: accounting 1.00 1.00 $1.00, currency.js 1.01, big.js 1.01
10.075: accounting 10.07 10.07 $10.07, currency.js 10.08, big.js 10.08'
