#!/bin/sh
# fetch-retry 6.0.0 and axios-retry 4.5.0 repeat a POST by default when the connection breaks before the answer: what the server had
# done is done twice, and the caller sees one success. RFC 9110 (9.2.2) has clients not repeat requests with such a method by
# themselves; ky 2.1.0 and got 16.1.0 do not. axios-retry's table names idempotent methods, but they restrict answers of 5xx
# alone. A payment needs a key that both tries carry. Exits with 1 if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund fetch-retry@6.0.0 axios-retry@4.5.0 axios@1.21.1 ky@2.1.0 got@16.1.0 node@24.21.0
cat > pay.mjs <<'END'
import { createServer } from "node:http";
import axios from "axios";
import axiosRetry from "axios-retry";
import fetchRetry from "fetch-retry";
import got from "got";
import ky from "ky";

/** The server books each payment that it has read, and breaks the first connection before it answers. */
async function print(name, send) {
  let booked = 0;
  const server = createServer(async (request, response) => {
    for await (const _ of request);
    booked += 1;
    if (booked === 1) request.socket.destroy();
    else response.end();
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  const answer = await send(`http://127.0.0.1:${server.address().port}/payments`).then(() => "succeeds", () => "fails");
  server.close();
  server.closeAllConnections();
  console.log(`${name}: ${answer}, ${booked} booked`);
}
const body = JSON.stringify({ amount: 100 });
const client = axios.create();
axiosRetry(client);
await print("fetch-retry", (url) => fetchRetry(fetch)(url, { method: "POST", body }));
await print("axios-retry", (url) => client.post(url, body));
await print("ky", (url) => ky.post(url, { body }));
await print("got", (url) => got.post(url, { body }));
END
seen=$(npx node pay.mjs)
echo "$seen"
test "$seen" = "fetch-retry: succeeds, 2 booked
axios-retry: succeeds, 2 booked
ky: fails, 1 booked
got: fails, 1 booked"
