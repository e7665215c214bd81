import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
// In a project of your own, it is "card-issuing-client".
import { createClient, pages, unwrap, verifyNotification } from "./src/card-issuing.ts";

const local = JSON.parse(readFileSync(`${process.env.LOCAL_DIR || ".local"}/connection.json`, "utf8"));
const { baseUrl, programApiKey: apiKey, walletId: sourceWalletId } = local;
const [certificate, key] = [readFileSync(local.cert), readFileSync(local.key)];
const client = createClient({ baseUrl, certificate, key, authority: readFileSync(local.ca), apiKey });

// An endpoint of your own: locally, a loopback origin of LOCAL_RECEIVERS.
const port = Number(process.env.PORT ?? 8490);
const url = `http://127.0.0.1:${port}/hooks`;
const webhook = await unwrap(client.POST("/webhooks", { body: { url, eventTypes: [2] } }));
const { webhookId, secret } = webhook.data;
const receiver = createServer(async (request, response) => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  const told = verifyNotification([secret], request.headers, Buffer.concat(parts));
  response.end();
  const isPurchase = told.kind === "transaction" && told.notification.TransMerchantName === "Corner Shop";
  if (isPurchase) receiver.emit("told", told.notification.CardId);
}).listen(port, "127.0.0.1");

// A Cardholder, whom the sandbox approves, and a Card.
const address = { line1: "12 St James's Square", city: "London", postalCode: "SW1Y 4JH", country: "GB" };
const names = { firstName: "Ada", lastName: "Lovelace", gender: 1, dateOfBirth: "1990-12-10" } as const;
const reached = { email: "ada@example.com", phone: "+442079460000", address };
const { cardholderId } = (await unwrap(client.POST("/cardholders", { body: { ...names, ...reached } }))).data;
const person = { params: { path: { cardholderId } } };
await unwrap(client.POST("/cardholders/{cardholderId}/submit", person));
await unwrap(
  client.POST("/sandbox/cardholders/{cardholderId}/kyc-outcome", { ...person, body: { status: 1 } }),
);
const { cardId } = (await unwrap(client.POST("/cards", { body: { cardholderId, cardForm: 0, cardType: 0 } })))
  .data;
const card = { path: { cardId } };

// Money, and a purchase. What may be declined says so: the compiler asks for a look.
const funds = { params: { path: { walletId: sourceWalletId } }, body: { amount: 50_000 } };
await unwrap(client.POST("/wallets/{walletId}/bank-deposit", funds));
const load = { sourceWalletId, destinationType: 1, destinationId: cardId, amount: 20_000 } as const;
const moved = (await unwrap(client.POST("/wallets/transfer", { body: load }))).data;
if (moved.transStatus === 2 || moved.transStatus === 4) throw new Error(`Declined: ${moved.declineReason}`);
const sale = { amount: 3_000, merchantName: "Corner Shop", mcc: "5411" };
const asked = client.POST("/sandbox/cards/{cardId}/authorizations", { params: card, body: sale });
const held = (await unwrap(asked)).data;
if (!held.approved) throw new Error(`Declined: ${held.declineReason}`);
const told = once(receiver, "told");
const clearing = { params: { path: { authorizationId: held.authorizationId } }, body: { amount: 3_150 } };
await unwrap(client.POST("/sandbox/authorizations/{authorizationId}/clear", clearing));
if ((await told)[0] !== cardId) throw new Error("Another Card was told of.");

// The record, and the statement as a PDF.
for await (const one of pages(client, "/cards/transactions", { query: { cardId } }))
  console.log(one.description, one.type, one.amount);
const period = new Date().toISOString().slice(0, 7);
const wanted = { params: { path: { cardId, period }, query: { format: "pdf" } }, parseAs: "text" } as const;
writeFileSync(
  process.env.STATEMENT ?? "statement.pdf",
  await unwrap(client.GET("/cards/{cardId}/statements/{period}", wanted)),
);
await unwrap(client.DELETE("/webhooks/{webhookId}", { params: { path: { webhookId } } }));
receiver.close();
await client.close();
