#!/bin/sh
# apache-arrow 21.2.0 gives a decimal's digits without its scale: 1.50 of the type decimal(38, 2) is "150" as text, 150 as number, in
# a table's rows and in what `toString` prints of them, so sums are a hundred times too large. Its JSON has a text in quotes twice,
# `"\"150\""`. `valueOf(2)` is 1.5, for a caller with the scale at hand. And whole numbers without a type become 64 bits with a sign,
# whatever they are: 9223372036854775808n comes back as its negative, without an error. Exits with 1 if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund apache-arrow@21.2.0
cat > read.mjs <<'END'
import { Decimal, Table, tableFromArrays, tableFromIPC, tableToIPC, vectorFromArray } from "apache-arrow";

const words = (minor) => new Uint32Array([minor, 0, 0, 0]);
const amounts = vectorFromArray([150, 275].map(words), new Decimal(2, 38, 128));
const table = tableFromIPC(tableToIPC(new Table({ amounts })));
const [first] = table.getChild("amounts");
console.log(`text ${first}, number ${Number(first)}, JSON ${JSON.stringify(first)}, with the scale ${first.valueOf(2)}`);
console.log(`row ${table.get(1)}, sum ${[...table].reduce((sum, row) => sum + Number(row.amounts), 0)}`);
console.log(`whole number ${tableFromArrays({ id: [9223372036854775808n] }).get(0)}`);
END
seen=$(node read.mjs)
printf '%s\n' "$seen"
test "$seen" = 'text 150, number 150, JSON "\"150\"", with the scale 1.5
row {"amounts": 275}, sum 425
whole number {"id": -9223372036854775808}'
