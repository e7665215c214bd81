#!/bin/sh
# @aws-lambda-powertools/idempotency 2.35.0 takes a key of several parts for complete when one part has a value. With
# `eventKeyJmesPath: "[tenant, key]"`, two payments of a tenant that came without their key have the same one: the second is not
# made, and is answered with the first. `throwOnNoIdempotencyKey`, by its documentation an error where the key is not found, lets
# them pass, and refuses them where the key stands alone. Exits with 1 if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund @aws-lambda-powertools/idempotency@2.35.0
cat > payments.mjs <<'END'
import { IdempotencyConfig, IdempotencyItemAlreadyExistsError, makeIdempotent } from "@aws-lambda-powertools/idempotency";
import { BasePersistenceLayer } from "@aws-lambda-powertools/idempotency/persistence";

class Memory extends BasePersistenceLayer {
  #records = new Map();
  async _putRecord(record) {
    const known = this.#records.get(record.idempotencyKey);
    if (known) throw new IdempotencyItemAlreadyExistsError("It is there.", known);
    await this._updateRecord(record);
  }
  async _updateRecord(record) {
    this.#records.set(record.idempotencyKey, record);
  }
}
async function print(eventKeyJmesPath) {
  let made = 0;
  const pay = async ({ amount }) => {
    made += 1;
    return amount;
  };
  const config = new IdempotencyConfig({ eventKeyJmesPath, throwOnNoIdempotencyKey: true });
  const payOnce = makeIdempotent(pay, { persistenceStore: new Memory(), config });
  const context = { getRemainingTimeInMillis: () => 1000 };
  const call = (event) => payOnce(event, context).catch(({ cause }) => cause.name);
  const answers = [await call({ tenant: "one", amount: 100 }), await call({ tenant: "one", amount: 250 })];
  console.log(`${eventKeyJmesPath}: 100 is answered ${answers[0]}, 250 is answered ${answers[1]}, ${made} made`);
}
await print("key");
await print("[tenant, key]");
END
seen=$(node payments.mjs)
echo "$seen"
test "$seen" = "key: 100 is answered IdempotencyKeyError, 250 is answered IdempotencyKeyError, 0 made
[tenant, key]: 100 is answered 100, 250 is answered 100, 1 made"
