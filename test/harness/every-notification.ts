import type { Connection } from "../../infra/development/connection.ts";
import { EventType } from "../../shared/contract/enums.ts";
import { givenCard } from "./given-cards.ts";
import { dayMs, givenCertificate, localAuthority } from "./given-certificates.ts";
import { givenLiveProgram, type LiveProgram, tenantLevel } from "./given-live-program.ts";
import type { Receiver } from "./receiver.ts";

/** Sends the receiver each kind of notification; advance the clock by two minutes for the last. */
export async function sendEveryNotification(
  connection: Connection,
  receiver: Receiver,
): Promise<LiveProgram> {
  receiver.behave(({ path }, response) => response.writeHead(path === "/gone" ? 410 : 204).end());
  const program = await givenLiveProgram(connection);
  const { cardId } = await givenCard(program);
  const tenant = tenantLevel(connection);
  const settings = { channel: "webhook", url: `${receiver.origin}/tenant` };
  await tenant.call("PUT /account/notification-settings", { body: settings });
  await tenant.close();
  await expireSoon(connection, program);
  const register = (path: string, eventType: EventType) =>
    program.call("POST /webhooks", { body: { url: receiver.origin + path, eventTypes: [eventType] } });
  for (const eventType of [EventType.hold, EventType.settlement, EventType.depositPending, EventType.dispute])
    await register("/transactions", eventType);
  await register("/gone", EventType.settlement);

  const path = { cardId };
  await program.call("POST /cards/{cardId}/deposits", { path, body: { amount: 5_000, chain: "bitcoin" } });
  const bank = await program.call("POST /cards/{cardId}/bank-deposit", { path, body: { amount: 10_000 } });
  if (bank.status !== 200) throw new Error(JSON.stringify(bank.body));
  const purchase = { amount: 1_050, merchantName: "Corner Shop", merchantCity: "Berlin", mcc: "5411" };
  const { body } = await program.call("POST /cards/{cardId}/authorizations", { path, body: purchase });
  const { authorizationId } = body.data;
  const cleared = await program.call("POST /authorizations/{authorizationId}/clear", {
    path: { authorizationId },
    body: {},
  });
  const dispute = { referenceCode: cleared.body.data.transId as string, reason: "other" };
  const disputed = await program.call("POST /disputes", { body: dispute });
  if (disputed.status !== 200) throw new Error(JSON.stringify(disputed.body));
  await program.call("PUT /authorization-endpoint", { body: { url: `${receiver.origin}/decide` } });
  await program.call("POST /authorization-endpoint/ping");
  await program.call("POST /otp/listeners", { body: { cardId, webhookUrl: `${receiver.origin}/otp` } });
  await program.call("POST /cards/{cardId}/three-ds-challenges", { path });
  return program;
}

/** Registers a certificate whose first reminder is due in 30 seconds. */
async function expireSoon(connection: Connection, { programId, operate }: LiveProgram): Promise<void> {
  const notAfter = new Date(Date.now() + 30 * dayMs + 30_000);
  const holder = { tenantId: connection.tenantId, programIds: [programId] };
  await operate("register-certificate", {
    certificatePem: await givenCertificate(localAuthority(connection), holder, { notAfter }),
  });
}
