import { readFileSync } from "node:fs";
import { type Client, createClient } from "../../../client/src/card-issuing.ts";
import { cleanUp } from "../../../infra/command-line/clean-up.ts";
import type { Connection } from "../../../infra/development/connection.ts";
import { givenCertificate, givenRequest, localAuthority } from "../../harness/given-certificates.ts";
import { operateOn } from "../../harness/given-live-program.ts";
import { callsOf } from "../calls.ts";
import type { Narrator } from "./narrator.ts";
import type { DemoReceiver } from "./receiver.ts";
import type { Stage } from "./story.ts";

/** A Program as its own software calls the platform. */
interface Caller {
  readonly tenantId: string;
  readonly programId: string;
  /** By the Program's key. */
  readonly program: Client;
  /** By the Tenant's, for the account. */
  readonly account: Client;
}

interface Certified {
  readonly certificate: string;
  readonly key: string;
}

/** A client of one key, over connections with one certificate. */
function clientOf({ baseUrl, ca }: Connection, certified: Certified, apiKey: string): Client {
  return createClient({ baseUrl, ...certified, authority: readFileSync(ca), apiKey });
}

/** From a platform that knows nothing of a customer to one whose Program can issue cards. */
export async function found(tell: Narrator, connection: Connection): Promise<Caller> {
  const { tenantId, tenantApiKey, certified: first } = await admitTenant(tell, connection);
  const account = clientOf(connection, first, tenantApiKey);
  const call = callsOf(account);
  try {
    const settings = { issuanceApproval: 0, threeDSecure: true } as const;
    const made = await call("POST /account/programs", {}, { name: "Demo", currency: 0, settings });
    const { programId, walletId } = made;
    tell.step("From now on it helps itself: it creates a Program in USD", `${programId}, ${walletId}`);

    const design = { cardType: 0, name: "Blue" } as const;
    await call("POST /account/programs/{programId}/card-designs", { programId }, design);
    // The simulated bank of the demo confirms at once.
    await operateOn(connection, "set-clearing-delay", { programId, seconds: 0 });
    await operateOn(connection, "approve-design", { programId, ...design });
    tell.step("It submits a card design, which platform administration approves", "slot 0, Blue");

    const { csr, keyPem: key } = await givenRequest({ tenantId, programIds: [programId] });
    const { certificateId, certificate, notAfter } = await call("POST /account/certificates", {}, { csr });
    tell.step("It has a certificate signed that names the Program", `${certificateId}, until ${notAfter}`);
    const certified = { certificate, key };

    const users = "POST /account/programs/{programId}/api-users";
    const { apiKey, apiUserId } = await call(users, { programId }, { name: "Demo" });
    tell.step("It makes a key for the Program's software, which is shown this once", apiUserId);
    const support = await call(users, { programId }, { name: "Support", role: "read_only" });
    tell.step("and one for its support, which only reads", support.apiUserId);
    return {
      tenantId,
      programId,
      program: clientOf(connection, certified, apiKey),
      account: clientOf(connection, certified, tenantApiKey),
    };
  } finally {
    await account.close();
  }
}

/** The part of platform administration: a Tenant with its credentials. */
async function admitTenant(tell: Narrator, connection: Connection) {
  const tenant = { name: "Demo", contactEmail: "contact@customer.example" };
  const { tenantId, apiKey: tenantApiKey } = await operateOn(connection, "create-tenant", tenant);
  tell.step("Platform administration creates a Tenant, with its first key", tenantId);
  const ranges = ["127.0.0.1/32", "::1/128"];
  for (const cidr of ranges) await operateOn(connection, "allow-ip", { tenantId, cidr });
  tell.step("and lets it call from this machine", ...ranges);
  const { csr, keyPem: key } = await givenRequest({ tenantId, programIds: [] });
  const signed = await operateOn(connection, "issue-certificate", { tenantId, csr });
  tell.step(
    "The Tenant makes a private key and a signing request, and gets its first certificate",
    `${signed.certificateId}, until ${signed.notAfter}`,
  );
  return { tenantId, tenantApiKey, certified: { certificate: signed.certificate, key } };
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Moves the clock to 30 days before a certificate's end, when a reminder is sent. */
export async function remindOfCertificate(
  { tell, connection }: Stage,
  caller: Caller,
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
  const settings = { channel: "webhook", url: receiver.origin + path } as const;
  const { secret } = await callsOf(account)("PUT /account/notification-settings", {}, settings);
  tell.step(
    "Another certificate ends in 30 days and an hour, and the Tenant wants to be told by webhook",
    certificateId,
  );
  const moved = await fetch(`${controlUrl}/clock`, { method: "POST", body: '{"advance":"2h"}' });
  if (!moved.ok) throw new Error(`The clock was not moved: ${await moved.text()}`);
  const received = receiver.verified(await receiver.next(path), String(secret));
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
  const notBefore = new Date(notAfter.getTime() - 90 * dayMs);
  const holder = { tenantId, programIds: [programId] };
  const validity = { notBefore, notAfter };
  const certificatePem = await givenCertificate(localAuthority(connection), holder, validity);
  return (await operateOn(connection, "register-certificate", { certificatePem })).certificateId;
}
