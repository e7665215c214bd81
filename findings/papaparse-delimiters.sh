#!/bin/sh
# papaparse 5.7.1 guesses the delimiter of a file without a header wrongly where amounts have decimal commas: it tries the comma first,
# and each line of `01.03.2026;-12,50;1012,50` has as many commas as semicolons. The result has three fields as expected,
# "01.03.2026;-12", "50;1012" and "50", and no error. With a header line, the same file is read by semicolons. Banks of much of
# Europe export so; name the delimiter. Exits with 1 if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund papaparse@5.7.1
cat > lines.cjs <<'END'
const { parse } = require("papaparse");

const header = "Datum;Betrag;Saldo";
const lines = ["01.03.2026;-12,50;1012,50", "02.03.2026;100,00;1112,50", "03.03.2026;-0,99;1111,51"];
for (const [name, text] of [
  ["with a header", [header, ...lines]],
  ["without", lines],
]) {
  const { data, errors, meta } = parse(text.join("\n"));
  console.log(`${name}: by "${meta.delimiter}", ${errors.length} errors, ${data.at(-1).join(" | ")}`);
}
END
seen=$(node lines.cjs)
echo "$seen"
test "$seen" = 'with a header: by ";", 0 errors, 03.03.2026 | -0,99 | 1111,51
without: by ",", 0 errors, 03.03.2026;-0 | 99;1111 | 51'
