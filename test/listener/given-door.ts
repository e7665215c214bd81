import { createServer } from "node:http";
import { onTestFinished } from "vitest";
import { type CertifiedKey, issueAuthority, issueLeaf } from "../../infra/development/issue-certificate.ts";
import type { Identity } from "../../infra/listener/door.ts";
import { endServer, listen } from "../harness/listen.ts";

const dayMs = 86_400_000;
export const valid = (days = 90) => ({
  notBefore: new Date(Date.now() - dayMs),
  notAfter: new Date(Date.now() + days * dayMs + 60_000),
});

const clientOf = (authority: CertifiedKey, CN: string[]) =>
  issueLeaf({ authority, subject: [{ CN }], alternativeNames: [], usage: "clientAuth", ...valid() });

/** A CA, a listener's identity from it, and certificates that it has issued. */
export async function givenAuthority(days?: number) {
  const authority = await issueAuthority("Network CA", valid());
  const server = await issueLeaf({
    authority,
    subject: [{ CN: ["listener"] }],
    alternativeNames: [{ type: "dns", value: "localhost" }],
    usage: "serverAuth",
    ...valid(days),
  });
  const ca = authority.certificatePem;
  const identity: Identity = {
    certificate: server.certificatePem,
    privateKey: server.keyPem,
    authorities: ca,
  };
  const toTls = ({ certificatePem: cert, keyPem: key }: CertifiedKey) => ({ ca, cert, key });
  return {
    authority,
    identity,
    toTls,
    named: async (...names: string[]) => toTls(await clientOf(authority, names)),
    /** As the environment's CAs issue them. */
    tenants: async () =>
      toTls(
        await issueLeaf({
          authority,
          subject: [{ O: ["tnt_1"] }, { OU: ["prg_1"] }],
          alternativeNames: [{ type: "dns", value: "card-network" }],
          usage: "clientAuth",
          ...valid(),
        }),
      ),
  };
}

/** Secrets Manager's and S3's HTTP interface. Returns the variables of a listener's process. */
export async function givenDeployedDoor(identity: Identity): Promise<Record<string, string>> {
  const { certificate, privateKey, authorities } = identity;
  const server = createServer((request, response) => {
    const isSecret = request.headers["x-amz-target"] === "secretsmanager.GetSecretValue";
    if (isSecret) response.end(JSON.stringify({ SecretString: JSON.stringify({ certificate, privateKey }) }));
    else if (request.url?.startsWith("/truststore/clients.pem")) response.end(authorities);
    else response.writeHead(404).end();
  });
  const url = await listen(server);
  onTestFinished(() => endServer(server));
  return {
    AWS_ENDPOINT_URL_SECRETS_MANAGER: url,
    // An address has no buckets below it.
    AWS_ENDPOINT_URL_S3: url,
    LISTENER_CERTIFICATE_SECRET_ID: "listener",
    TRUSTSTORE_BUCKET: "truststore",
    LISTENER_CLIENTS: "card-network,other-network",
  };
}
