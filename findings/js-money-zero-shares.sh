#!/bin/sh
# js-money 0.6.3 and ts-money 0.4.8 give what a division leaves to the first shares, whatever their ratio. Of 1.01 by 0 : 50 : 50,
# who has no share gets a cent. Of a refund of -1.01, it owes nothing and gets a cent, and the others pay back -0.51 each. By
# their page, funds are divided by the ratio; dinero.js 2.0.2 gives nothing to a share of 0. Exits with 1 if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund js-money@0.6.3 ts-money@0.4.8 dinero.js@2.0.2
cat > shares.mjs <<'END'
import { allocate, dinero, toSnapshot } from "dinero.js";
import { EUR } from "dinero.js/currencies";
import JsMoney from "js-money";
import { Money as TsMoney } from "ts-money";

const ratios = [0, 50, 50];
for (const amount of [101, -101]) {
  const shares = {
    "js-money": new JsMoney(amount, JsMoney.EUR).allocate(ratios),
    "ts-money": new TsMoney(amount, "EUR").allocate(ratios),
    "dinero.js": allocate(dinero({ amount, currency: EUR }), ratios).map(toSnapshot),
  };
  for (const [name, parts] of Object.entries(shares))
    console.log(`${name}: ${amount} is ${parts.map((part) => part.amount + 0).join(" ")}`);
}
END
seen=$(node shares.mjs)
echo "$seen"
test "$seen" = "js-money: 101 is 1 50 50
ts-money: 101 is 1 50 50
dinero.js: 101 is 0 51 50
js-money: -101 is 1 -51 -51
ts-money: -101 is 1 -51 -51
dinero.js: -101 is 0 -51 -50"
