#!/bin/sh
# postal-codes-js 2.5.2 refuses postal codes that countries have had for years: Argentina's with letters (CPA), Vietnam's of
# five digits and Taiwan's of six (3+3); it takes what was before them. Of Kosovo it knows no code at all.
# postcode-validator 3.10.22 takes all the newer ones. A Cardholder cannot give the address that a card is to be sent to, or that a shop
# asks to be compared. Exits with 1 if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund postal-codes-js@2.5.2 postcode-validator@3.10.22
cat > codes.cjs <<'END'
const { validate } = require("postal-codes-js");
const { postcodeValidator } = require("postcode-validator");

for (const [country, ...codes] of [
  ["AR", "1425", "C1425CLA"],
  ["VN", "700000", "70000"],
  ["TW", "100", "10057", "100057"],
  ["XK", "10000"],
  ["GB", "SW1A 1AA"],
]) {
  const taken = codes.map((code) => `${code} ${validate(country, code) === true} ${postcodeValidator(code, country)}`);
  console.log(`${country}: ${taken.join(", ")}`);
}
END
seen=$(node codes.cjs)
echo "$seen"
test "$seen" = "AR: 1425 true false, C1425CLA false true
VN: 700000 true true, 70000 false true
TW: 100 true true, 10057 true true, 100057 false true
XK: 10000 false true
GB: SW1A 1AA true true"
