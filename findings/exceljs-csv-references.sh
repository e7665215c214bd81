#!/bin/sh
# exceljs 4.4.0 reads texts of a CSV file as what they look like. The reference 4E2 is the number 400, 0x1F is 31, the account
# 0012345678 is 12345678, and an id of 19 digits ends in zeros. Of a column of dates as 03-04-2026, those up to the 12th of a month are
# read month first, and 31-12-2026 stays a text, without an error. Its page names a `map`, whose default it does not tell, and
# the formats of dates. fast-csv 5.0.8, which it reads by, gives texts. Exits with 1 if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund exceljs@4.4.0 fast-csv@5.0.8
cat > read.mjs <<'END'
import { Readable } from "node:stream";
import ExcelJs from "exceljs";
import { parseString } from "fast-csv";

const text = "4E2,03-04-2026\n0x1F,31-12-2026\n0012345678,2026-04-03\n1234567890123456789,2026-04-03\n";
const sheet = await new ExcelJs.Workbook().csv.read(Readable.from([text]));
const shown = (value) => (value instanceof Date ? value.toISOString().slice(0, 10) : JSON.stringify(value));
sheet.eachRow(({ values }) => console.log("exceljs", ...values.slice(1).map(shown)));
for await (const row of parseString(text)) console.log("fast-csv", ...row.map(shown));
END
seen=$(TZ=UTC node read.mjs)
echo "$seen"
test "$seen" = 'exceljs 400 2026-03-04
exceljs 31 "31-12-2026"
exceljs 12345678 2026-04-03
exceljs 1234567890123456800 2026-04-03
fast-csv "4E2" "03-04-2026"
fast-csv "0x1F" "31-12-2026"
fast-csv "0012345678" "2026-04-03"
fast-csv "1234567890123456789" "2026-04-03"'
