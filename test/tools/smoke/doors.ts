import { issueAuthority } from "../../../infra/development/issue-certificate.ts";
import type { Checks } from "./checks.ts";
import type { Deployment, RawAnswer } from "./deployment.ts";

const minute = 60_000;

/** Which callers are authorized, and what others get. It only reads. */
export async function checkDoors(deployment: Deployment, checks: Checks): Promise<void> {
  await checkHandshake(deployment, checks);
  const { programApiKey, tenantApiKey } = deployment.connection;
  const refused = async (what: string, answer: Promise<RawAnswer>, status: number, code: string) => {
    const found = await answer;
    const { body } = found;
    const told = [found.status, body.status, body.code, body.requestId === found.requestId];
    checks.same(what, told, [status, "error", code, true]);
  };
  const key = { "X-API-Key": programApiKey };
  const tenant = { "X-API-Key": tenantApiKey };
  await refused("no key is 401", deployment.raw("GET /cards"), 401, "API_KEY_INVALID");
  const wrong = { "X-API-Key": `${programApiKey}x` };
  await refused("a wrong key is 401", deployment.raw("GET /cards", wrong), 401, "API_KEY_INVALID");
  await refused("an unknown route without a key is 401", deployment.raw("GET /no"), 401, "API_KEY_INVALID");
  await refused("an unknown route with a key is 404", deployment.raw("GET /no", key), 404, "NOT_FOUND");
  await refused("a wrong method is 404", deployment.raw("PUT /cards", key), 404, "NOT_FOUND");
  await refused(
    "another's Card is 404",
    deployment.raw("GET /cards/crd_00000000000000000000000000", key),
    404,
    "NOT_FOUND",
  );
  const malformed = deployment.raw("POST /cardholders", key, { body: "{" });
  await refused("a body that is no JSON is 400", malformed, 400, "MALFORMED_BODY");
  const account = deployment.raw("GET /account/programs", key);
  await refused("a Program's key does not reach the account", account, 404, "NOT_FOUND");

  const mine = await deployment.raw("GET /cards?limit=1", key);
  checks.same("a Program's key reads a list", [mine.status, mine.body.status], [200, "success"]);
  const theirs = (await deployment.raw("GET /cards?limit=1", tenant)) as { body: { total?: number } };
  checks.same("a Tenant's key finds a Program's list empty", theirs.body.total, 0);
  const programs = await deployment.raw("GET /account/programs", tenant);
  checks.same("a Tenant's key reads the account", programs.status, 200);
}

async function checkHandshake(deployment: Deployment, checks: Checks): Promise<void> {
  const key = { "X-API-Key": deployment.connection.programApiKey };
  const without = deployment.raw("GET /cards", key, { credentials: "none" });
  await checks.noAnswer("without a certificate there is no answer", without);
  const now = Date.now();
  const validity = { notBefore: new Date(now - minute), notAfter: new Date(now + 10 * minute) };
  const { certificatePem, keyPem } = await issueAuthority("Nobody", validity);
  const credentials = { certificate: certificatePem, key: keyPem };
  const selfSigned = deployment.raw("GET /cards", key, { credentials });
  await checks.turnedAway("with a self-signed certificate nobody gets in", selfSigned);
}
