#!/bin/sh
# zero-decimal-currencies 1.6.0 makes every negative amount of a currency with decimals "0": -10.50 EUR, a refund, is "0", without an
# error, while -100 JPY is "-100", and `fromSmallestUnit` reads -1050 as -10.5. By its page it converts amounts accurately to
# their smallest unit. Of ISO 4217, it differs in two more: the Icelandic krona (ISK) has no decimals there and two here, the ariary
# (MGA) the other way round, so an amount is off by a hundred; currency-codes 2.2.0 has both right. Exits with 1 if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund zero-decimal-currencies@1.6.0 currency-codes@2.2.0
cat > units.cjs <<'END'
const { codes, code: find } = require("currency-codes");
const { default: toSmallestUnit, fromSmallestUnit, getCurrencyInfo, isValidCurrency } = require("zero-decimal-currencies");

const amounts = [[10.5, "EUR"], [-10.5, "EUR"], [-100, "JPY"]];
for (const [amount, code] of amounts) console.log(`${amount} ${code}: ${toSmallestUnit(amount, code)}`);
console.log(`back: ${fromSmallestUnit(-1050, "EUR")}`);
for (const code of codes().filter(isValidCurrency)) {
  const { digits } = find(code);
  const { decimals } = getCurrencyInfo(code);
  if (decimals !== digits) console.log(`${code}: ${decimals}, by ISO 4217 ${digits}`);
}
END
seen=$(node units.cjs)
echo "$seen"
test "$seen" = "10.5 EUR: 1050
-10.5 EUR: 0
-100 JPY: -100
back: -10.5
ISK: 2, by ISO 4217 0
MGA: 0, by ISO 4217 2"
