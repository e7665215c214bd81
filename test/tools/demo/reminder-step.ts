import { readFileSync } from "node:fs";
import { unwrap } from "../../../client/src/card-issuing.ts";
import { cleanUp } from "../../../infra/command-line/clean-up.ts";
import type { Connection } from "../../../infra/development/connection.ts";
import { issueClientCertificate } from "../../../infra/development/issue-certificate.ts";
import { operateOn } from "../../harness/given-live-program.ts";
import type { Caller } from "./caller.ts";
import type { Narrator } from "./narrator.ts";
import type { DemoReceiver } from "./receiver.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Moves the clock to 30 days before a certificate's end, when a reminder is sent. */
export async function remindOfCertificate(
  caller: Caller,
  tell: Narrator,
  connection: Connection,
  receiver: DemoReceiver,
): Promise<void> {
  const { tenantId, account } = caller;
  const { controlUrl } = connection;
  const { now } = (await (await fetch(`${controlUrl}/clock`)).json()) as { now: string };
  const notAfter = new Date(Date.parse(now) + 30 * dayMs + hourMs);
  const certificateId = await registerCertificate(caller, connection, notAfter);
  await using cleaning = cleanUp();
  cleaning.defer(() => operateOn(connection, "revoke-certificate", { tenantId, certificateId }));
  const path = `/reminders/${certificateId}`;
  const body = { channel: "webhook", url: receiver.origin + path } as const;
  const { data } = await unwrap(account.PUT("/account/notification-settings", { body }));
  tell.step(
    "Another certificate ends in 30 days and an hour, and the Tenant wants to be told by webhook",
    certificateId,
  );
  const moved = await fetch(`${controlUrl}/clock`, { method: "POST", body: '{"advance":"2h"}' });
  if (!moved.ok) throw new Error(`The clock was not moved: ${await moved.text()}`);
  const received = receiver.verified(await receiver.next(path), String(data.secret));
  if (received.kind !== "certificateReminder") throw new Error(`A ${received.kind} came in.`);
  const reminder = received.notification;
  tell.step(
    "The platform's clock is moved by two hours, and the reminder comes in, its signature verified",
    `${reminder.NotificationType}, DaysRemaining ${reminder.DaysRemaining}, CertNotAfter ${reminder.CertNotAfter}`,
  );
}

async function registerCertificate(
  { tenantId, programId }: Caller,
  connection: Connection,
  notAfter: Date,
): Promise<string> {
  const { ca, clientCaKey } = connection;
  const authority = { certificatePem: readFileSync(ca, "utf8"), keyPem: readFileSync(clientCaKey, "utf8") };
  const { certificatePem } = await issueClientCertificate({
    authority,
    tenantId,
    programIds: [programId],
    domains: ["demo.test"],
    notBefore: new Date(notAfter.getTime() - 90 * dayMs),
    notAfter,
  });
  return (await operateOn(connection, "register-certificate", { certificatePem })).certificateId;
}
