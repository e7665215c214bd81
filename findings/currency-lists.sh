#!/bin/sh
# Lists of ISO 4217 on npm are behind it. currency-codes 2.2.0 and validator 13.15.35 do not know the Caribbean guilder (XCG, from
# 2025-03-31, amendment 176) and still have the guilder before it, ANG, whose number, 532, it took over; validator has no
# Zimbabwe Gold (ZWG, amendment 177) either, but its predecessor. A purchase in Curacao is refused, or named by a currency that
# ended. dinero.js 2.0.2 has both. Exits with 1 if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund currency-codes@2.2.0 validator@13.15.35 dinero.js@2.0.2
cat > codes.cjs <<'END'
const { code: find, number } = require("currency-codes");
const currencies = require("dinero.js/currencies");
const { isISO4217 } = require("validator");

const lists = {
  "currency-codes": (code) => find(code) !== undefined,
  validator: isISO4217,
  "dinero.js": (code) => code in currencies,
};
const codes = ["XCG", "ANG", "ZWG", "ZWL"];
for (const [name, has] of Object.entries(lists))
  console.log(`${name}: ${codes.map((code) => `${code} ${has(code) ? "yes" : "no"}`).join(", ")}`);
console.log(`currency-codes: 532 is ${number("532").code}`);
END
seen=$(node codes.cjs)
echo "$seen"
test "$seen" = "currency-codes: XCG no, ANG yes, ZWG yes, ZWL no
validator: XCG no, ANG yes, ZWG no, ZWL yes
dinero.js: XCG yes, ANG no, ZWG yes, ZWL no
currency-codes: 532 is ANG"
