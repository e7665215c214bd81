import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { deliverAlerts } from "../../harness/given-alerts.ts";
import { givenCustomer } from "../../harness/given-customer.ts";
import { givenMailbox } from "../../harness/given-mailbox.ts";
import { givenWebhooks } from "../../harness/given-webhooks.ts";

describe("the alert that an endpoint was switched off", () => {
  const customer = givenCustomer();
  const { emails, emailsTo } = givenMailbox();

  /** An endpoint that has answered 410, and the event of it. */
  async function given() {
    const program = await givenWebhooks(customer.queues);
    const { webhookId } = await program.register({
      url: `${customer.receiver.origin}/gone`,
      eventTypes: [4],
    });
    await program.notify();
    await program.fanOut();
    customer.answer(410);
    await program.deliver("slow");
    customer.answer(204);
    const [event] = (await program.events()).filter(({ detail }) => detail.kind === "webhook.disabled");
    return { program, webhookId, event };
  }

  it("is sent once to the Tenant's webhook, signed", async () => {
    const { program, webhookId, event } = await given();
    const url = `${customer.receiver.origin}/tenant`;
    const { tenantId } = program.caller;
    const { secret } = await program.operate("set-notifications", { tenantId, channel: "webhook", url });
    for (let time = 0; time < 2; time += 1)
      expect(await deliverAlerts([event])).toEqual({ batchItemFailures: [] });
    const [received, ...more] = customer.receiver.received.filter(({ path }) => path === "/tenant");
    expect(more).toEqual([]);
    const notice = new Webhook(secret ?? "").verify(received?.body ?? "", received?.headers ?? {});
    expect(notice).toEqual({
      NotificationId: event?.detail.eventId,
      NotificationType: "WEBHOOK_DISABLED",
      ProgramId: program.programId,
      WebhookId: webhookId,
      Url: `${customer.receiver.origin}/gone`,
      Reason: "GONE",
      DateCreated: expect.any(String),
    });
  });

  it("is sent by email if that is the channel of the Tenant", async () => {
    const { program, webhookId, event } = await given();
    const { tenantId } = program.caller;
    await program.operate("set-notifications", { tenantId, channel: "email", email: "ops@customer.example" });
    await deliverAlerts([event]);
    expect(emailsTo("ops@customer.example")).toEqual([expect.stringContaining(webhookId)]);
  });

  it("is left out without an error if the Tenant has no notification settings", async () => {
    const { event } = await given();
    const before = emails();
    expect(await deliverAlerts([event])).toEqual({ batchItemFailures: [] });
    expect(emails()).toEqual(before);
  });
});
