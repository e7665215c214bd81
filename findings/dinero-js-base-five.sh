#!/bin/sh
# dinero.js 2.0.2 has the ariary (MGA) and the ouguiya (MRU) with base 5 and exponent 1, though its page says that it tracks
# ISO 4217, whose list (SIX, list one) gives both two decimals. Card networks and ISO 20022 mean hundredths: an amount of 500,
# five ariary, is a hundred ariary here, and 12.34 ariary has no exact amount. The other currencies of the list agree with it.
# Exits with 1 if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund dinero.js@2.0.2 currency-codes@2.2.0
cat > units.cjs <<'END'
const { code: find } = require("currency-codes");
const { dinero, toUnits } = require("dinero.js");
const currencies = require("dinero.js/currencies");

for (const currency of Object.values(currencies)) {
  const { code, base, exponent } = currency;
  const listed = find(code);
  if (!listed || base ** exponent === 10 ** listed.digits) continue;
  const [major] = toUnits(dinero({ amount: 500, currency }));
  console.log(`500 minor units of ${code}: ${major}, by ISO 4217 ${500 / 10 ** listed.digits}`);
}
END
seen=$(node units.cjs)
echo "$seen"
test "$seen" = "500 minor units of MGA: 100, by ISO 4217 5
500 minor units of MRU: 100, by ISO 4217 5"
