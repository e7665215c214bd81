import { expect, test } from "vitest";
import { operate } from "../harness/administration.ts";
import { givenWallet } from "../harness/given-cards.ts";
import { allStoredItems } from "../harness/stored.ts";
import { givenAccount } from "./account/given-account.ts";
import { givenPurchase } from "./disputes/given-dispute.ts";

const number = "4000001234567899";
const masked = "400000******7899";
const grouped = "4000 0012 3456 7899";
const groupedMasked = "4000 00** **** 7899";

test("what people write is stored and answered with its card numbers masked", async () => {
  const { program, create, cardId, onCard } = await givenPurchase();
  const account = await givenAccount();
  const walletId = await givenWallet(program, 1_000);
  const deposit = await program.call("POST /wallets/{walletId}/bank-deposit", {
    path: { walletId },
    body: { amount: 100, reference: `Top up ${grouped}` },
  });
  const transfer = await program.call("POST /wallets/transfer", {
    body: {
      ...{ sourceWalletId: walletId, destinationType: 1, destinationId: cardId, amount: 100 },
      memo: `to ${number}`,
    },
  });
  const dispute = await create({ note: `Charged twice:\n${number}` });
  const ticket = await account.call("POST /account/tickets", {
    body: { subject: `Card ${number}`, message: `It is\n4000001234\n567899` },
  });
  await onCard("force-post", { amount: 500, merchantName: `SHOP*${number}`, description: grouped });
  await operate("suspend-tenant", { tenantId: account.tenantId, reason: `Leaked ${number}` });

  expect([deposit.status, dispute.status, ticket.status]).toEqual([200, 200, 200]);
  expect(transfer.body.data.memo).toBe(`to ${masked}`);
  expect(dispute.body.data.note).toBe(`Charged twice:\n${masked}`);
  expect(ticket.body.data).toMatchObject({
    subject: `Card ${masked}`,
    comments: [{ message: "It is\n400000****\n**7899" }],
  });
  const stored = JSON.stringify(await allStoredItems());
  expect(stored.match(new RegExp(`${number}|${grouped}|4000001234.{1,4}567899`, "g"))).toBeNull();
  for (const text of [`SHOP*${masked}`, `Top up ${groupedMasked}`, `Leaked ${masked}`, groupedMasked])
    expect(stored).toContain(text);
});

test("an identifier that the caller chooses is refused if it has a card number", async () => {
  const { program, cardId } = await givenPurchase();
  const walletId = await givenWallet(program, 1_000);
  const transfer = (externalId: string, headers = {}) =>
    program.call("POST /wallets/transfer", {
      headers,
      body: {
        ...{ sourceWalletId: walletId, destinationType: 1, destinationId: cardId, amount: 100 },
        externalId,
      },
    });
  const refused = await transfer(`card-${number}`);
  expect([refused.status, refused.body.errors[0].path]).toEqual([422, "body.externalId"]);
  expect(JSON.stringify(refused.body)).not.toContain(number);
  expect((await transfer("order-1", { "Idempotency-Key": number })).status).toBe(422);
  for (const allowed of ["4000001234567890", "550e8400-e29b-41d4-a716-446655440000", "1764230400000"])
    expect((await transfer(allowed, { "Idempotency-Key": allowed })).status).toBe(200);
});
