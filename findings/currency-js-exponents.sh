#!/bin/sh
# currency.js 2.0.4 drops the letter of an exponent from a text: `currency("1e3")` is 13, `currency("2.5e2")` is 2.52 and
# `currency("1e-7")` is NaN, without an error, even where `errorOnInvalid` is set. The number 1e3 is 1000. Spreadsheets write
# numbers so: one that is passed on as text is off by hundreds. Exits with 1 if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund currency.js@2.0.4
cat > exponents.cjs <<'END'
const currency = require("currency.js");

const read = (value) => {
  try {
    return currency(value, { errorOnInvalid: true }).value;
  } catch {
    return "error";
  }
};
for (const text of ["1e3", "2.5e2", "1e-7"]) console.log(text, read(text), read(Number(text)));
END
seen=$(node exponents.cjs)
echo "$seen"
test "$seen" = "1e3 13 1000
2.5e2 2.52 250
1e-7 NaN 0"
