import { type Client, unwrap } from "../../../client/src/card-issuing.ts";
import type { Connection } from "../../../infra/development/connection.ts";
import { givenRequest } from "../../harness/given-certificates.ts";
import { operateOn } from "../../harness/given-live-program.ts";
import { type Caller, clientOf } from "./caller.ts";
import type { Narrator } from "./narrator.ts";

/** A Tenant with its credentials: the part of platform administration. */
interface Founded {
  readonly tenantId: string;
  readonly tenantApiKey: string;
  readonly account: Client;
}

/** From a platform that knows nothing of a customer to one whose Program can issue cards. */
export async function found(tell: Narrator, connection: Connection): Promise<Caller> {
  const founded = await admitTenant(tell, connection);
  const { tenantId, tenantApiKey, account } = founded;
  try {
    const programId = await createProgram(tell, account);
    await approveDesign(tell, connection, account, programId);
    const certified = await certify(tell, account, tenantId, programId);
    const params = { path: { programId } };
    const { data } = await unwrap(
      account.POST("/account/programs/{programId}/api-users", { params, body: { name: "Demo" } }),
    );
    tell.step("It makes a key for the Program's software, which is shown this once", data.apiUserId);
    const support = { name: "Support", role: "read_only" } as const;
    const reader = await unwrap(
      account.POST("/account/programs/{programId}/api-users", { params, body: support }),
    );
    tell.step("and one for its support, which only reads", reader.data.apiUserId);
    return {
      tenantId,
      programId,
      program: clientOf(connection, certified, data.apiKey),
      account: clientOf(connection, certified, tenantApiKey),
    };
  } finally {
    await account.close();
  }
}

async function admitTenant(tell: Narrator, connection: Connection): Promise<Founded> {
  const { tenantId, apiKey } = await operateOn(connection, "create-tenant", {
    name: "Demo",
    contactEmail: "contact@customer.example",
  });
  tell.step("Platform administration creates a Tenant, with its first key", tenantId);
  const ranges = ["127.0.0.1/32", "::1/128"];
  for (const cidr of ranges) await operateOn(connection, "allow-ip", { tenantId, cidr });
  tell.step("and lets it call from this machine", ...ranges);
  const { csr, keyPem } = await givenRequest({ tenantId, programIds: [] });
  const signed = await operateOn(connection, "issue-certificate", { tenantId, csr });
  tell.step(
    "The Tenant makes a private key and a signing request, and gets its first certificate",
    `${signed.certificateId}, until ${signed.notAfter}`,
  );
  const account = clientOf(connection, { certificate: signed.certificate, key: keyPem }, apiKey);
  return { tenantId, tenantApiKey: apiKey, account };
}

async function createProgram(tell: Narrator, account: Client): Promise<string> {
  const settings = { issuanceApproval: 0, threeDSecure: true } as const;
  const body = { name: "Demo", currency: 0, settings } as const;
  const { data } = await unwrap(account.POST("/account/programs", { body }));
  tell.step(
    "From now on it helps itself: it creates a Program in USD",
    `${data.programId}, ${data.walletId}`,
  );
  return data.programId;
}

async function approveDesign(
  tell: Narrator,
  connection: Connection,
  account: Client,
  programId: string,
): Promise<void> {
  const design = { cardType: 0, name: "Blue" } as const;
  const params = { path: { programId } };
  await unwrap(account.POST("/account/programs/{programId}/card-designs", { params, body: design }));
  // The simulated bank of the demo confirms at once.
  await operateOn(connection, "set-clearing-delay", { programId, seconds: 0 });
  await operateOn(connection, "approve-design", { programId, ...design });
  tell.step("It submits a card design, which platform administration approves", "slot 0, Blue");
}

async function certify(tell: Narrator, account: Client, tenantId: string, programId: string) {
  const { csr, keyPem } = await givenRequest({ tenantId, programIds: [programId] });
  const { data } = await unwrap(account.POST("/account/certificates", { body: { csr } }));
  tell.step(
    "It has a certificate signed that names the Program",
    `${data.certificateId}, until ${data.notAfter}`,
  );
  return { certificate: data.certificate, key: keyPem };
}
