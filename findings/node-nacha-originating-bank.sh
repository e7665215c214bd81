#!/bin/sh
# @midlandsbank/node-nacha 0.4.0 names the originating bank of a NACHA batch by the first eight digits of the company's tax
# number, `from.fein`, while its entries' trace numbers begin with those of the bank, `for.routing`: by the format both are the
# same bank's. They agree where the batch is given `originatingDFIIdentification`, which its page does not name.
# Exits with 1 if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund @midlandsbank/node-nacha@0.4.0
cat > trace.cjs <<'END'
const nacha = require("@midlandsbank/node-nacha");

function print(name, more) {
  const file = nacha
    .create({ from: { name: "A Company", fein: "123456789" }, for: { name: "A Bank", routing: "091000019" } })
    .ppd({ effectiveDate: "260302", description: "Payment", note: "", date: "Mar 02", ...more })
    .credit({ name: "Somebody", account: { num: "1001", type: "C" }, routing: "021000021", amount: 100 });
  const lines = nacha.from(file).to("ach").split(/\r?\n/);
  const find = (kind) => lines.find((line) => line.startsWith(kind));
  console.log(`${name}: batch ${find("5").slice(79, 87)}, trace ${find("6").slice(79, 94)}`);
}
print("by default", {});
print("as named", { originatingDFIIdentification: "09100001" });
END
seen=$(node trace.cjs)
echo "$seen"
test "$seen" = "by default: batch 12345678, trace 091000010000000
as named: batch 09100001, trace 091000010000000"
