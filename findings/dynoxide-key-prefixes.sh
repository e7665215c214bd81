#!/bin/sh
# @dynoxide/linux-x64 1.2.1: `begins_with` in a KeyConditionExpression ignores the case of the letters a to z, so that a query for
# `user#` has USER#1, too; and a prefix with the character U+0000 ends there: `a` + U+0000 + `b` finds `a` and what else begins with
# it and U+0000. In a FilterExpression it compares all bytes, as DynamoDB does everywhere, and dynalite 3.2.2. A test of
# keys that differ by case alone fails, or passes, as it would not in AWS. Exits with 1 if that changes.
set -eu
folder=$(mktemp -d)
trap 'kill "$engine" "$other" 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
engine= other=
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund @dynoxide/linux-x64@1.2.1 dynalite@3.2.2
cat > free-port.cjs <<'END'
const server = require("node:net").createServer().listen(0, "127.0.0.1", () => {
  console.log(server.address().port);
  server.close();
});
END
cat > query.mjs <<'END'
import { setTimeout as delay } from "node:timers/promises";

const [name, port] = process.argv.slice(2);
const headers = {
  "content-type": "application/x-amz-json-1.0",
  "x-amz-date": "20260101T000000Z",
  authorization:
    "AWS4-HMAC-SHA256 Credential=a/20260101/eu-west-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0",
};
async function call(action, input) {
  const target = { ...headers, "x-amz-target": `DynamoDB_20120810.${action}` };
  const body = JSON.stringify({ TableName: "cards", ...input });
  return (await fetch(`http://127.0.0.1:${port}/`, { method: "POST", headers: target, body })).json();
}
const KeySchema = [{ AttributeName: "pk", KeyType: "HASH" }, { AttributeName: "sk", KeyType: "RANGE" }];
const AttributeDefinitions = KeySchema.map(({ AttributeName }) => ({ AttributeName, AttributeType: "S" }));
const made = { KeySchema, AttributeDefinitions, BillingMode: "PAY_PER_REQUEST" };
for (let tries = 0; tries < 50; tries += 1) {
  if (await call("CreateTable", made).catch(() => undefined)) break;
  await delay(100);
}
for (let state; state !== "ACTIVE"; await delay(100)) state = (await call("DescribeTable", {})).Table?.TableStatus;
for (const sk of ["USER#1", "user#2", "a", "a\0b", "a\0c"])
  await call("PutItem", { Item: { pk: { S: "p" }, sk: { S: sk }, copy: { S: sk } } });
for (const first of ["user#", "a\0b"]) {
  const values = { ":p": { S: "p" }, ":first": { S: first } };
  const KeyConditionExpression = "pk = :p AND begins_with(sk, :first)";
  const query = await call("Query", { KeyConditionExpression, ExpressionAttributeValues: values });
  const FilterExpression = "pk = :p AND begins_with(#copy, :first)";
  const names = { "#copy": "copy" };
  const scan = await call("Scan", { FilterExpression, ExpressionAttributeNames: names, ExpressionAttributeValues: values });
  const [found, filtered] = [query, scan].map(({ Items }) => JSON.stringify(Items.map(({ sk }) => sk.S)));
  console.log(`${name} ${JSON.stringify(first)}: query ${found}, filter ${filtered}`);
}
END
port=$(node free-port.cjs)
node_modules/@dynoxide/linux-x64/dynoxide serve --host 127.0.0.1 --port "$port" >/dev/null 2>&1 &
engine=$!
seen=$(node query.mjs dynoxide "$port")
port=$(node free-port.cjs)
node -e 'require("dynalite")().listen(process.argv[1], "127.0.0.1")' "$port" &
other=$!
seen="$seen
$(node query.mjs dynalite "$port")"
printf '%s\n' "$seen"
test "$seen" = 'dynoxide "user#": query ["USER#1","user#2"], filter ["user#2"]
dynoxide "a\u0000b": query ["a","a\u0000b","a\u0000c"], filter ["a\u0000b"]
dynalite "user#": query ["user#2"], filter ["user#2"]
dynalite "a\u0000b": query ["a\u0000b"], filter ["a\u0000b"]'
