#!/bin/sh
# electrodb 3.9.3 writes the values of an item's key in small letters unless the index says `casing: "none"`. Two deposits whose
# transaction ids differ by case, as base58 and base64 ids do, have one key: the later overwrites the earlier, or is refused as
# known. And numbers are in the key as text without padding, so a query for amounts from 900 to 1000 asks for a span that begins
# behind its end, and one for at least 1000 finds 900. The attributes keep case and number. Exits with 1 if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund electrodb@3.9.3
cat > keys.cjs <<'END'
const { Entity } = require("electrodb");

const sortedBy = (field, attribute) => ({
  pk: { field: `${field}pk`, composite: ["program"] },
  sk: { field: `${field}sk`, composite: [attribute] },
});
const deposits = new Entity(
  {
    model: { entity: "deposit", version: "1", service: "bank" },
    attributes: { program: { type: "string" }, id: { type: "string" }, amount: { type: "number" } },
    indexes: { byId: sortedBy("", "id"), byAmount: { index: "amounts", ...sortedBy("amounts", "amount") } },
  },
  { table: "deposits" },
);
for (const id of ["3yZe7d", "3yZE7D"]) {
  const { Item } = deposits.put({ program: "one", id, amount: 900 }).params();
  console.log(`${Item.id}: ${Item.sk}`);
}
const key = ({ amount }) => deposits.put({ program: "one", id: "any", amount }).params().Item.amountssk;
const [from, to] = [{ amount: 900 }, { amount: 1000 }];
const asked = deposits.query.byAmount({ program: "one" }).between(from, to).params().ExpressionAttributeValues;
console.log(`between ${asked[":sk1"]} and ${asked[":sk2"]}`);
console.log(`900 is ${key(from) >= key(to) ? "at least" : "less than"} 1000`);
END
seen=$(node keys.cjs)
echo "$seen"
test "$seen" = '3yZe7d: $deposit_1#id_3yze7d
3yZE7D: $deposit_1#id_3yze7d
between $deposit_1#amount_900 and $deposit_1#amount_1000
900 is at least 1000'
