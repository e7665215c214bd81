#!/bin/sh
# @sinclair/typebox 0.34.52 cuts a fraction off where a whole number is to be read: `Value.Parse` of an integer makes "1.99", and 1.99
# itself, 1, and "12e2" 12, and says nothing. A client that sends major units for minor ones pays 1 cent. And `multipleOf: 0.01` refuses
# 10, 0.07 and 19.99: it takes a float's remainder. By JSON Schema (validation, 6.2.1) the quotient must be whole, as 10 by
# 0.01 is; zod 4.6.7 takes all three, and refuses 1.99 and "1.99" as an integer. Exits with 1 if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund @sinclair/typebox@0.34.52 zod@4.6.7
cat > amounts.mjs <<'END'
import { Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { z } from "zod";

const print = (name, read) => {
  try {
    console.log(`${name}: ${read()}`);
  } catch {
    console.log(`${name}: refused`);
  }
};
for (const amount of ["1.99", 1.99, "12e2"]) {
  print(`typebox ${JSON.stringify(amount)}`, () => Value.Parse(Type.Integer(), amount));
  print(`zod ${JSON.stringify(amount)}`, () => z.int().parse(amount));
}
for (const amount of [10, 0.07, 19.99, 10.005]) {
  const taken = Value.Check(Type.Number({ multipleOf: 0.01 }), amount);
  console.log(`${amount} by 0.01: typebox ${taken}, zod ${z.number().multipleOf(0.01).safeParse(amount).success}`);
}
END
seen=$(node amounts.mjs)
printf '%s\n' "$seen"
test "$seen" = 'typebox "1.99": 1
zod "1.99": refused
typebox 1.99: 1
zod 1.99: refused
typebox "12e2": 12
zod "12e2": refused
10 by 0.01: typebox false, zod true
0.07 by 0.01: typebox false, zod true
19.99 by 0.01: typebox false, zod true
10.005 by 0.01: typebox false, zod false'
