#!/bin/sh
# mt940-js 1.0.0 reads the mark RC of a statement's line (:61:, the reversal of a credit) as `isCredit: true` with a positive
# amount, and RD, the reversal of a debit, as `isCredit: false`, and nothing else tells them from C and D. But money went the
# other way (SWIFT, MT940, field 61, subfield 3), so lines summed by `isCredit` miss the closing balance by twice the amount.
# mt940js 1.3.5 reads the same statement with signs that sum to it. Exits with 1 if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund mt940-js@1.0.0 mt940js@1.3.5 tslib@1.14.1
cat > sums.cjs <<'END'
const { read } = require("mt940-js");
const { Parser } = require("mt940js");

const statement = [
  ":20:STATEMENT",
  ":25:10020030/1234567",
  ":28C:1/1",
  ":60F:C260301EUR100,00",
  ":61:2603020302C30,00NTRFFIRST",
  ":61:2603020302RC12,50NTRFSECOND",
  ":61:2603020302RD7,00NTRFTHIRD",
  ":62F:C260302EUR124,50",
  "-",
  "",
].join("\r\n");
read(Buffer.from(statement)).then(([read]) => {
  const signed = read.transactions.map(({ amount, isCredit }) => (isCredit ? amount : -amount));
  const sum = (amounts) => amounts.reduce((total, amount) => total + amount, 100);
  console.log("mt940-js:", signed.join(" "), "closing", sum(signed), "of", read.closingBalance.value);
  const [other] = new Parser().parse(statement);
  const amounts = other.transactions.map(({ amount }) => amount);
  console.log("mt940js:", amounts.join(" "), "closing", sum(amounts), "of", other.closingBalance);
});
END
seen=$(node sums.cjs)
echo "$seen"
test "$seen" = "mt940-js: 30 12.5 -7 closing 135.5 of 124.5
mt940js: 30 -12.5 7 closing 124.5 of 124.5"
