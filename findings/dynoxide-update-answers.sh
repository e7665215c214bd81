#!/bin/sh
# @dynoxide/linux-x64 1.2.1: UpdateItem of an item that is not there, with ReturnValues ALL_OLD, returns the key as the
# item before, so that a caller takes what it has just made for one that existed. DynamoDB Local and dynalite return
# no Attributes. And ADD of "2.0" to a number set that has "2" is refused as a duplicate, where the others answer the
# set as it was. Exits with 1 if that changes.
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
cat > update.mjs <<'END'
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
  const url = `http://127.0.0.1:${port}/`;
  const answer = await fetch(url, { method: "POST", headers: target, body: JSON.stringify(input) });
  return answer.json();
}
const TableName = "cards";
const part = [{ AttributeName: "pk", AttributeType: "S" }];
const KeySchema = [{ AttributeName: "pk", KeyType: "HASH" }];
const made = { TableName, KeySchema, AttributeDefinitions: part, BillingMode: "PAY_PER_REQUEST" };
for (let tries = 0; tries < 50; tries += 1) {
  if (await call("CreateTable", made).catch(() => undefined)) break;
  await delay(100);
}
for (let state; state !== "ACTIVE"; await delay(100))
  state = (await call("DescribeTable", { TableName })).Table?.TableStatus;
const update = (pk, UpdateExpression, value, ReturnValues) =>
  call("UpdateItem", {
    ...{ TableName, Key: { pk: { S: pk } }, UpdateExpression, ReturnValues },
    ExpressionAttributeValues: { ":value": value },
  });
const before = await update("new", "SET holds = :value", { N: "1" }, "ALL_OLD");
await update("sums", "ADD sums :value", { NS: ["2"] });
const { Attributes, message } = await update("sums", "ADD sums :value", { NS: ["2.0"] }, "UPDATED_NEW");
console.log(`${name}: before ${JSON.stringify(before.Attributes)}; set ${JSON.stringify(Attributes?.sums) ?? message}`);
END
port=$(node free-port.cjs)
node_modules/@dynoxide/linux-x64/dynoxide serve --host 127.0.0.1 --port "$port" >/dev/null 2>&1 &
engine=$!
seen=$(node update.mjs dynoxide "$port")
port=$(node free-port.cjs)
node -e 'require("dynalite")().listen(process.argv[1], "127.0.0.1")' "$port" &
other=$!
seen="$seen
$(node update.mjs dynalite "$port")"
echo "$seen"
test "$seen" = 'dynoxide: before {"pk":{"S":"new"}}; set Input collection contains duplicates
dynalite: before undefined; set {"NS":["2"]}'
