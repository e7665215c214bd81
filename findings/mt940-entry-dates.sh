#!/bin/sh
# An MT940's line (:61:) has its value date with a year, and its entry date as month and day alone (SWIFT, MT940, field 61).
# mt940js 1.3.5, mt940-js 1.0.0 and swiftmessageparser 1.2.1 give the entry date the value date's year. What is booked on 2 January
# with a value date of 31 December is booked a year before in all three, outside its own statement, whose balances are in the new
# year; the other way round it is almost a year in the future. Exits with 1 if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund mt940js@1.3.5 mt940-js@1.0.0 swiftmessageparser@1.2.1 tslib@1.14.1
cat > dates.cjs <<'END'
const { read } = require("mt940-js");
const { Parser } = require("mt940js");
const swift = require("swiftmessageparser");

const statementOf = (opening, line, closing) =>
  [
    ":20:STATEMENT",
    ":25:10020030/1234567",
    ":28C:1/1",
    `:60F:C${opening}EUR100,00`,
    `:61:${line}C30,00NTRFFIRST`,
    `:62F:C${closing}EUR130,00`,
    "-",
    "",
  ].join("\r\n");
const day = (date) => new Date(date).toISOString().slice(0, 10);
async function print(name, statement) {
  const [[first], [second], [third]] = [
    new Parser().parse(statement),
    await read(Buffer.from(statement)),
    swift.parse({ type: "mt940", data: statement }),
  ];
  const dates = [first, second, third].map(({ transactions }) => day(transactions[0].entryDate));
  console.log(`${name}: ${dates.join(" ")}, statement of ${day(first.closingBalanceDate)}`);
}
print("entry 0102, value 251231", statementOf("260101", "2512310102", "260102")).then(() =>
  print("entry 1231, value 260102", statementOf("251230", "2601021231", "251231")),
);
END
seen=$(TZ=UTC node dates.cjs)
echo "$seen"
test "$seen" = "entry 0102, value 251231: 2025-01-02 2025-01-02 2025-01-02, statement of 2026-01-02
entry 1231, value 260102: 2026-12-31 2026-12-31 2026-12-31, statement of 2025-12-31"
