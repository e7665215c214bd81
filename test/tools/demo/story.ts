import type { Client } from "../../../client/src/card-issuing.ts";
import type { Connection } from "../../../infra/development/connection.ts";
import { type Call, callsOf } from "../calls.ts";
import { approveCardholder, issueCard, issueMany, loseCard, produceCard, useDevice } from "./cards.ts";
import { authenticate, controlSpending, decideAuthorizations, receiveWebhook } from "./decisions.ts";
import { found, remindOfCertificate } from "./founding.ts";
import {
  disputePurchase,
  fundWallet,
  moveBankMoney,
  pay,
  receiveDigitalAssets,
  settle,
  spendFromWallet,
  transfer,
} from "./money.ts";
import type { Narrator } from "./narrator.ts";
import { payOverNetwork } from "./network.ts";
import type { DemoReceiver } from "./receiver.ts";
import { look, readBooks, readStatement, report } from "./records.ts";

/** What a step of the story needs: the Program's client, and who tells it. */
export interface Stage {
  readonly tell: Narrator;
  readonly connection: Connection;
  readonly client: Client;
  readonly call: Call;
}

/** From an empty platform to a funded card and its use. Without a receiver, no callbacks arrive. */
export async function tellStory(
  tell: Narrator,
  connection: Connection,
  receiver: DemoReceiver | undefined,
): Promise<void> {
  const caller = await found(tell, connection);
  const { program: client, account } = caller;
  const stage = { tell, connection, client, call: callsOf(client) };
  try {
    const cardholderId = await approveCardholder(stage);
    const cardId = await issueCard(stage, cardholderId);
    await useDevice(stage, cardId);
    await produceCard(stage, caller.programId, cardholderId);
    const walletId = await fundWallet(stage, cardId);
    await issueMany(stage, cardholderId, walletId);
    await transfer(stage, walletId, cardId);
    await receiveDigitalAssets(stage, cardId);
    await moveBankMoney(stage, walletId);
    const purchaseId = await pay(stage, cardId);
    await disputePurchase(stage, purchaseId);
    await payOverNetwork(stage, cardId);
    await settle(stage, cardId);
    await controlSpending(stage, cardId);
    if (receiver) {
      await decideAuthorizations(stage, cardId, receiver);
      await receiveWebhook(stage, cardId, receiver);
    }
    await authenticate(stage, cardId, receiver);
    await loseCard(stage, cardId);
    await spendFromWallet(stage, cardholderId);
    if (receiver) await remindOfCertificate(stage, caller, receiver);
    else
      tell.step(
        "Decisions, webhooks and reminders are skipped: no receiver is running",
        withoutReceiver(connection),
      );
    await readStatement(stage, cardId);
    await report(stage, walletId);
    await readBooks(stage, walletId);
    await look(stage, cardId, walletId);
  } finally {
    await Promise.all([client.close(), account.close()]);
  }
}

function withoutReceiver({ receivers }: Connection): string {
  return receivers.length === 0
    ? "The platform was started with LOCAL_RECEIVERS that name none over plain HTTP."
    : `Something else listens at ${receivers.join(", ")}; LOCAL_RECEIVERS names another when the platform starts.`;
}
