import { startDnsServer } from "../../../infra/local/dns.ts";
import { call } from "../../functions/authorizer/authorizer-event.ts";
import { operate } from "../../harness/administration.ts";
import { givenAuthority, givenCertificate } from "../../harness/given-certificates.ts";
import { givenTenant } from "../../harness/given-tenant.ts";
import { measure } from "../../harness/measure.ts";
import type { Row } from "./report.ts";
import { costRow } from "./round-trips.ts";

const ip = "192.0.2.1";
const domainName = "client.demo.test";

/** What letting a request in costs in DynamoDB: the first one, and those after it. */
export async function roundTripsOfTheAuthorizer(): Promise<Row[]> {
  const dns = await startDnsServer({ names: { [ip]: [domainName] }, addresses: { [domainName]: [ip] } });
  process.env.DNS_SERVERS = dns.address;
  try {
    const tenant = await givenTenant(1);
    const certificatePem = await givenCertificate(await givenAuthority(), tenant);
    const { tenantId, programIds } = tenant;
    await operate("register-certificate", { certificatePem });
    await operate("allow-ip", { tenantId, cidr: `${ip}/32` });
    const { apiKey } = await operate("create-api-key", { tenantId, programId: programIds[0], name: "key" });
    const request = { certificatePem, ip, headers: [["X-API-Key", apiKey]] } as const;
    const rows: Row[] = [];
    for (const name of ["authorizer, first request", "authorizer, allowlist cached"]) {
      const { result, cost } = await measure(() => call(request));
      if (result.status !== 200) throw new Error(`The authorizer answered ${result.status}.`);
      rows.push(costRow(name, cost, 2));
    }
    return rows;
  } finally {
    await dns.stop();
  }
}
