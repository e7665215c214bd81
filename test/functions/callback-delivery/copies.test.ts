import { describe, expect, it, vi } from "vitest";
import { givenCustomer, givenNotification } from "../../harness/given-customer.ts";

describe("messages that one sender delivers together", () => {
  const customer = givenCustomer();
  const notification = givenNotification(customer);
  const takeMessage = () => customer.queues.take("slow")[0]?.body;

  /** Answers with the first status at once, and with the second when the first is recorded. */
  const answerInTurn = (first: number, second: number) => {
    let requests = 0;
    customer.receiver.behave(async (_, response) => {
      requests += 1;
      if (requests === 1) return response.writeHead(first).end();
      await vi.waitFor(async () => expect(await notification.attempts()).toHaveLength(1), { timeout: 5_000 });
      return response.writeHead(second).end();
    });
  };

  it("record a success over the failure of a copy", async () => {
    const message = takeMessage();
    answerInTurn(500, 204);
    const { batchItemFailures } = await notification.given.deliverMessages("slow", [message, message]);
    expect(batchItemFailures).toEqual([]);
    expect(await notification.attempts()).toMatchObject([{ attempt: 1, delivered: true }]);
    // The failed copy had scheduled its next attempt before.
    expect(customer.queues.sent).toMatchObject([{ queue: "slow", body: { attempt: 2 } }]);
  });

  it("do not record a failure over the success of a copy", async () => {
    const message = takeMessage();
    answerInTurn(204, 500);
    const { batchItemFailures } = await notification.given.deliverMessages("slow", [message, message]);
    expect(batchItemFailures).toEqual([]);
    expect(await notification.attempts()).toMatchObject([{ attempt: 1, delivered: true }]);
    expect(customer.queues.sent).toEqual([]);
  });

  it("do not wait for a slow receiver to be recorded", async () => {
    const message = takeMessage();
    answerInTurn(204, 204);
    await notification.given.deliverMessages("slow", [message, { ...message, deliveryId: "evt_another" }]);
    expect(await notification.attempts()).toHaveLength(2);
  });
});
