import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createApp } from "../../infra/app.ts";
import { readSettings } from "../../infra/environments.ts";
import { listParts, stackName } from "../../infra/stacks/stack-parts.ts";
import { installTool } from "../../infra/tools/install-tool.ts";
import { runDeploy, runWith } from "./aws/deploy-command.ts";
import { type EmulatedAdministration, emulatedAdministration } from "./aws/emulated-administration.ts";
import { type EmulatedAws, startEmulatedAws } from "./aws/emulated-aws.ts";

const { account, region } = readSettings("staging");
const domain = "host.customer.example";
const stackNames = listParts(readSettings("staging")).map((part) => stackName("staging", part));
const [dataStack, edgeStack] = ["card-issuing-staging-data", "card-issuing-staging-edge"];
/** What the command says of the stacks before the edge, when it deploys them or finds them. */
const innerStacks = (outcome: string) =>
  stackNames.slice(0, -1).flatMap((name) => [`${name}:`, `${name}: ${outcome}`]);
const noVersions = "Earlier versions of functions: 0 deleted, 0 no longer warm";
const tenantId = "tnt_00000000000000000000000001";

/**
 * The command as it is, with the CDK's own command line tool, against AWS as far as it is emulated:
 * one environment's story, run after run.
 */
describe("npm run deploy", { timeout: 180_000 }, () => {
  let directory: string;
  let administration: EmulatedAdministration;
  let aws: EmulatedAws;
  let said = "";

  beforeAll(async () => {
    directory = mkdtempSync(path.join(tmpdir(), "deploy-"));
    createApp(["staging"], { outdir: path.join(directory, "assembly"), checked: false }).synth();
    administration = await emulatedAdministration(domain);
    aws = await startEmulatedAws({ account, region, invoke: administration.invoke });
  }, 240_000);
  afterAll(async () => {
    await aws?.stop();
    rmSync(directory, { recursive: true });
  });

  /** One run, and what it asked for. */
  const deploy = async (...more: string[]) => {
    const [calls, commands] = [aws.calls.length, administration.commands.length];
    const words = ["--assembly", path.join(directory, "assembly"), "--require-approval", "never"];
    const ran = await runDeploy(aws, ["staging", ...words, ...more]);
    said += ran.said;
    const asked = { calls: aws.calls.slice(calls), commands: administration.commands.slice(commands) };
    return { ...ran, ...asked, steps: narration(ran.said) };
  };
  const deployWithCaller = (...more: string[]) => {
    const connections = ["--connections", path.join(directory, "connections")];
    return deploy(
      "--caller",
      "192.0.2.1",
      "--caller-domain",
      domain,
      "--patience",
      "0",
      ...connections,
      ...more,
    );
  };
  const stack = (name: string) => aws.cloudFormation.stacks.get(name);

  test("changes nothing in an account without the CDK's bootstrap, and names the command for it", async () => {
    const { code, said, calls } = await deployWithCaller();
    expect(code).toBe(1);
    expect(said).toContain("npm run deploy -- staging --bootstrap");
    expect(calls.filter((call) => !/ GET \/(2016-08-19|v2)\//.test(call))).toEqual([
      "sts GetCallerIdentity",
      "cloudtrail DescribeTrails",
      "cloudtrail GetTrailStatus",
      "cloudtrail GetEventSelectors",
      "ssm GetParameter",
      "ssm GetParameter",
    ]);
  });

  test("bootstraps the account if requested; if the first stack fails, says why and what remains", async () => {
    const reason = "Limit exceeded: keys";
    aws.cloudFormation.failures.set(dataStack, { logicalId: "DataKey17AFBB84", reason });
    const { code, said, steps } = await deploy("--bootstrap", "--no-caller");
    expect(code).toBe(1);
    expect(steps).toContain("Bootstrap of the CDK: done for aws://111122223333/eu-west-1");
    expect(said).toContain(reason);
    expect(said).toContain(
      `${dataStack} was not created, and none of its resources are in use (ROLLBACK_COMPLETE)`,
    );
    expect(said).toMatch(/repeat the command to continue:\n {2}npm run deploy -- staging /);
    expect(stack(dataStack)?.isProtected).toBe(true);
    expect([...aws.cloudFormation.stacks.keys()].filter((name) => name.startsWith("card-"))).toEqual([
      "card-issuing-deployer",
      dataStack,
    ]);
  });

  test("continues from there to the first Tenant, its connection file and the smoke test", async () => {
    const { code, said, steps } = await deployWithCaller("--bootstrap");
    expect(steps).toEqual([
      "Settings: valid, account 111122223333 in eu-west-1",
      "Credentials: arn:aws:iam::111122223333:user/deployer",
      expect.stringMatching(/^Second copy of the books: none/),
      `First caller: 192.0.2.1, ${domain}`,
      "Quotas: enough",
      "Trail: management",
      expect.stringMatching(/^Bootstrap of the CDK: already there, version \d+$/),
      ...innerStacks("deployed"),
      expect.stringMatching(/^Truststore: written, version version-\d+$/),
      `${edgeStack}:`,
      `${edgeStack}: deployed`,
      noVersions,
      `The platform's own Tenant ${tenantId}: created`,
      "Its Program: done",
      "Its card design: done",
      "Its Program's API key: done",
      `Its certificate for ${domain}: done`,
      "192.0.2.1 may call",
      expect.stringContaining("Connection file: "),
    ]);
    // What is emulated has no hosts: the smoke test alone does not pass, and
    // test/system/deploy.test.ts has it pass.
    expect(code).toBe(1);
    expect(said).toContain("npm run smoke -- ");
    expect(stack(dataStack)).toMatchObject({ status: "CREATE_COMPLETE", isProtected: true });
    expect(stack(edgeStack)?.parameters.TruststoreVersion).toMatch(/^version-/);
  });

  test("changes nothing when repeated", async () => {
    const { steps, calls, commands } = await deployWithCaller();
    expect(steps.slice(4)).toEqual([
      "Quotas: enough",
      "Trail: management",
      expect.stringMatching(/^Bootstrap of the CDK: already there, version \d+$/),
      ...innerStacks("already there"),
      expect.stringMatching(/^Truststore: already there, version version-\d+$/),
      `${edgeStack}:`,
      `${edgeStack}: already there`,
      noVersions,
      `The platform's own Tenant ${tenantId}: already there`,
      "Its Program: already there",
      "Its card design: already there",
      "Its Program's API key: already there",
      `Its certificate for ${domain}: already there`,
      "192.0.2.1 may call",
      expect.stringContaining("Connection file: "),
    ]);
    expect(calls.filter((call) => /ExecuteChangeSet|PutParameter|s3 PUT/.test(call))).toEqual([]);
    expect(commands).toEqual(["view-truststore", "list-credentials", "allow-ip"]);
  });

  test("leaves nothing to be deployed: cdk diff finds no differences", async () => {
    const cdk = [path.join(installTool("cdk"), "aws-cdk/bin/cdk"), "diff", "staging/**", "--fail"];
    const { code, said } = await runWith(aws, [...cdk, "--app", path.join(directory, "assembly")]);
    expect(said).toContain("There were no differences");
    expect(code).toBe(0);
  });

  test("deploys an older version without changing the data stack", async () => {
    const data = stack(dataStack);
    if (data?.template === undefined) throw new Error("There is no data stack.");
    const template = JSON.parse(data.template) as { Resources: Record<string, unknown> };
    const { AccountsTable81C15AE5: NewTable } = template.Resources;
    const newer = JSON.stringify({ ...template, Resources: { ...template.Resources, NewTable } });
    data.template = newer;
    const refused = await deploy("--no-caller");
    expect(refused.said).toContain("  NewTable: AWS::DynamoDB::GlobalTable would leave the stack");
    expect(refused.code).toBe(1);
    const { code, steps } = await deploy("--no-caller", "--keep-data");
    expect(code).toBe(0);
    expect(steps).toContain(`${dataStack}: not changed (--keep-data)`);
    expect(data.template).toBe(newer);
    data.template = JSON.stringify(template);
  });

  test("leaves the hosts unchanged if an update fails, and says so", async () => {
    await administration.replaceAuthority();
    const failure = { logicalId: "PlatformDomain", reason: "Truststore not valid" };
    aws.cloudFormation.failures.set(edgeStack, failure);
    const { code, said } = await deployWithCaller();
    expect(code).toBe(1);
    expect(said).toContain(failure.reason);
    expect(said).toContain(`${edgeStack} is unchanged (UPDATE_ROLLBACK_COMPLETE) and continues to serve.`);
  });

  test("continues from there, and replaces a certificate whose CA is no longer trusted", async () => {
    const { steps, commands } = await deployWithCaller();
    expect(steps.slice(steps.indexOf(`${dataStack}:`))).toEqual([
      ...innerStacks("already there"),
      expect.stringMatching(/^Truststore: already there/),
      `${edgeStack}:`,
      `${edgeStack}: deployed`,
      noVersions,
      `The platform's own Tenant ${tenantId}: already there`,
      "Its Program: already there",
      "Its card design: already there",
      "Its Program's API key: already there",
      `Its certificate for ${domain}: done`,
      "The certificate before it, revoked: done",
      "192.0.2.1 may call",
      expect.stringContaining("Connection file: "),
    ]);
    expect(commands).toEqual([
      "view-truststore",
      "list-credentials",
      "issue-certificate",
      "revoke-certificate",
      "allow-ip",
    ]);
    expect(stack(edgeStack)?.status).toBe("UPDATE_COMPLETE");
  });

  test("protects its secrets: files for the owner only, an encrypted parameter, and nothing in its output", () => {
    const file = path.join(directory, "connections/staging/connection.json");
    const connection = JSON.parse(readFileSync(file, "utf8")) as Record<string, string>;
    expect(connection).toMatchObject({
      baseUrl: "https://api.staging.card-issuing.example/v2",
      sandboxUrl: "https://sandbox.staging.card-issuing.example/v2",
      programApiKey: "secret-program-key",
      tenantApiKey: "secret-tenant-key",
      store: { region, issuingTable: "issuingtablec5d57e9e", accountsTable: "accountstable81c15ae5" },
    });
    const { cert = "", key = "" } = connection;
    for (const name of [file, cert, key]) expect(statSync(name).mode & 0o777).toBe(0o600);
    expect(statSync(path.dirname(file)).mode & 0o777).toBe(0o700);
    expect(aws.parameters.all.get("/card-issuing/staging/first-tenant")).toMatchObject({
      type: "SecureString",
      keyId: expect.stringMatching(/DataKey.*Arn/),
    });
    const [, keyText = ""] = readFileSync(key, "utf8").split("\n");
    for (const secret of ["secret-", keyText]) expect(said).not.toContain(secret);
  });
});

/** What the command itself said, without the command line tool's words. */
function narration(said: string): string[] {
  return said.split("\n").flatMap((line) => (line.startsWith("- ") ? [line.slice(2)] : []));
}
