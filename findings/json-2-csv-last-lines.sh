#!/bin/sh
# json-2-csv 5.6.0 leaves the newline that ends a file on its last text: of two lines that end in EUR, the second has the currency "EUR\n",
# and no comparison finds it. A quoted field and a number have none. What the line is parsed with, JSON.parse, makes the reference
# 4E2 the number 400 and an id of 19 digits another one, while 0042 stays a text, so a column has both. RFC 4180 (2) lets the last
# record have a line break, and csv-parse 7.0.3 reads all as they are. Exits with 1 if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund json-2-csv@5.6.0 csv-parse@7.0.3
cat > read.mjs <<'END'
import { parse } from "csv-parse/sync";
import { csv2json } from "json-2-csv";

const lines = `reference,id,currency
0042,11,EUR
4E2,1234567890123456789,EUR
`;
console.log(`json-2-csv: ${JSON.stringify(csv2json(lines).map(Object.values))}`);
console.log(`quoted: ${JSON.stringify(csv2json(lines.replaceAll("EUR", '"EUR"')).at(-1).currency)}`);
console.log(`csv-parse: ${JSON.stringify(parse(lines, { from_line: 2 }))}`);
END
seen=$(node read.mjs)
printf '%s\n' "$seen"
test "$seen" = 'json-2-csv: [["0042",11,"EUR"],[400,1234567890123456800,"EUR\n"]]
quoted: "EUR"
csv-parse: [["0042","11","EUR"],["4E2","1234567890123456789","EUR"]]'
