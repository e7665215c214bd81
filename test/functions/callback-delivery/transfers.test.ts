import { describe, expect, it } from "vitest";
import { givenWallet } from "../../harness/given-cards.ts";
import { givenCustomer, givenNotification } from "../../harness/given-customer.ts";
import { givenStoredCard } from "../../harness/given-stored.ts";

describe("the delivery of a notification", () => {
  const customer = givenCustomer();
  const notification = givenNotification(customer);

  it("of a load is not sent to an endpoint without transfers, also if it is redelivered", async () => {
    const { given, webhook } = notification;
    await given.deliver("slow");
    const walletId = await givenWallet(given);
    await given.call("POST /wallets/{walletId}/bank-deposit", { path: { walletId }, body: { amount: 900 } });
    const cardId = await givenStoredCard(given.programId);
    const load = async () => {
      const body = { sourceWalletId: walletId, destinationType: 1, destinationId: cardId, amount: 300 };
      expect((await given.call("POST /wallets/transfer", { body })).body.data.transStatus).toBe(1);
      const { items } = (await given.call("GET /webhooks/events", { query: { eventType: "2" } })).body;
      return items[0].transIdSc as string;
    };
    const sent = async () => {
      await given.fanOut();
      for (const queue of ["slow", "callbacks"] as const) await given.deliver(queue);
      return customer.receiver.received.map(({ headers }) => headers["webhook-id"]);
    };
    const wanted = await load();
    expect(await sent()).toContain(wanted);
    const path = { webhookId: webhook.webhookId };
    const changed = await given.call("PUT /webhooks/{webhookId}", {
      path,
      body: { includeTransfers: false },
    });
    expect(changed.body.data).toMatchObject({ includeTransfers: false, eventTypes: [1, 2, 3, 4] });
    const unwanted = await load();
    await given.call("POST /webhooks/events/{transIdSc}/redeliver", {
      path: { transIdSc: unwanted },
      body: {},
    });
    const fee = { feeType: 5, amount: 10 };
    await given.call("POST /cards/{cardId}/fees", { path: { cardId }, body: fee });
    const received = await sent();
    expect(received).toHaveLength(3);
    expect(received).not.toContain(unwanted);
  });
});
