import type { Connection } from "../../shared/tenancy/connections/connection.ts";
import type { WebhookReceiver } from "./webhook-receiver.ts";

/** An adapter whose events come another way: its webhook address takes nothing. */
const noReceiver: WebhookReceiver = {
  verify: () => false,
  apply: () => Promise.reject(new Error("It takes no webhooks.")),
};

/** Imported with the first webhook of its kind. */
export async function receiverOfPort({ adapter }: Connection): Promise<WebhookReceiver> {
  switch (adapter) {
    case "marqeta":
      return (await import("./processor-webhook.ts")).marqetaReceiver;
    case "http":
      return (await import("./compliance-webhook.ts")).complianceReceiver;
    case "iso20022":
      return (await import("./bank-webhook.ts")).bankReceiver;
    case "deposits":
      return (await import("./custodian-webhook.ts")).custodianReceiver;
    default:
      return noReceiver;
  }
}
