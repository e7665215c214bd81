import type { Connection } from "../../../infra/development/connection.ts";
import { moveBankMoney } from "./bank-step.ts";
import { issueMany } from "./bulk-step.ts";
import { approveCardholder, issueCard } from "./card-steps.ts";
import { controlSpending } from "./control-step.ts";
import { decideAuthorizations } from "./decision-step.ts";
import { useDevice } from "./device-step.ts";
import { disputePurchase } from "./dispute-step.ts";
import { found } from "./founding-steps.ts";
import { spendFromWallet } from "./funding-step.ts";
import { readBooks } from "./ledger-step.ts";
import { look } from "./look-step.ts";
import { fundWallet, pay, receiveDigitalAssets, transfer } from "./money-steps.ts";
import type { Narrator } from "./narrator.ts";
import { payOverNetwork } from "./network-step.ts";
import { authenticate } from "./passcode-step.ts";
import { loseCard } from "./plastic-step.ts";
import { produceCard } from "./production-step.ts";
import type { DemoReceiver } from "./receiver.ts";
import { remindOfCertificate } from "./reminder-step.ts";
import { report } from "./report-step.ts";
import { settle } from "./settlement-step.ts";
import { readStatement } from "./statement-step.ts";
import { receiveWebhook } from "./webhook-step.ts";

/** From an empty platform to a funded card and its use. Without a receiver, no callbacks arrive. */
export async function tellStory(
  tell: Narrator,
  connection: Connection,
  receiver: DemoReceiver | undefined,
): Promise<void> {
  const caller = await found(tell, connection);
  const { program: client, account } = caller;
  try {
    const cardholderId = await approveCardholder(client, tell);
    const cardId = await issueCard(client, tell, cardholderId);
    await useDevice(client, tell, cardId);
    await produceCard(caller, tell, connection, cardholderId);
    const walletId = await fundWallet(client, tell, cardId);
    await issueMany(client, tell, cardholderId, walletId);
    await transfer(client, tell, walletId, cardId);
    await receiveDigitalAssets(client, tell, cardId);
    await moveBankMoney(client, tell, walletId);
    const purchaseId = await pay(client, tell, cardId);
    await disputePurchase(client, tell, purchaseId);
    await payOverNetwork(client, tell, connection, cardId);
    await settle(client, tell, cardId);
    await controlSpending(client, tell, cardId);
    if (receiver) {
      await decideAuthorizations(client, tell, cardId, receiver);
      await receiveWebhook(client, tell, cardId, receiver);
    }
    await authenticate(client, tell, cardId, receiver);
    await loseCard(client, tell, cardId);
    await spendFromWallet(client, tell, cardholderId);
    if (receiver) await remindOfCertificate(caller, tell, connection, receiver);
    else
      tell.step(
        "Decisions, webhooks and reminders are skipped: no receiver is running",
        ...withoutReceiver(connection),
      );
    await readStatement(client, tell, cardId);
    await report(client, tell, walletId);
    await readBooks(client, tell, walletId);
    await look(client, tell, cardId, walletId);
  } finally {
    await Promise.all([client.close(), account.close()]);
  }
}

function withoutReceiver({ receivers }: Connection): string[] {
  return receivers.length === 0
    ? ["The platform was started with LOCAL_RECEIVERS that name none over plain HTTP."]
    : [
        `Something else listens at ${receivers.join(", ")}; LOCAL_RECEIVERS names another when the platform starts.`,
      ];
}
