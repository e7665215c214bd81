import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addStages, createEmptyApp } from "../../infra/app.ts";
import { readStacks } from "../../infra/commands/deploy/stacks.ts";
import { readSettings } from "../../infra/environments.ts";
import { listParts, stackName } from "../../infra/stacks/stack-parts.ts";
import { installTool } from "../../infra/tools/install-tool.ts";
import { truststoreKey } from "../../shared/contract/authority.ts";
import { runDeploy, runWith } from "./aws/deploy-command.ts";
import { type EmulatedAdministration, emulatedAdministration } from "./aws/emulated-administration.ts";
import { type EmulatedAws, startEmulatedAws } from "./aws/emulated-aws.ts";
import { regionThere, servingSettings } from "./given-serving.ts";

const { account, region } = readSettings("staging");
const [dataStack, vaultStack] = ["card-issuing-staging-data", "card-issuing-staging-vault"];
const tables = { IssuingTableName: "issuing-1", AccountsTableName: "accounts-1", VaultTableName: "vault-1" };
const arnIn = (of: string, resource: string) => `arn:aws:any:${of}:${account}:${resource}`;

/** The command with the CDK's own command line tool, against two regions of an emulated AWS. */
describe("npm run deploy -- staging --region second", { timeout: 600_000 }, () => {
  let directory: string;
  let administration: EmulatedAdministration;
  let aws: EmulatedAws;

  const assemblyOf = (writes: "first" | "second") => path.join(directory, `assembly-${writes}`);
  beforeAll(async () => {
    directory = mkdtempSync(path.join(tmpdir(), "deploy-second-"));
    for (const writes of ["first", "second"] as const) {
      const app = createEmptyApp({ outdir: assemblyOf(writes), checked: false });
      addStages(app, servingSettings("staging", writes));
      app.synth();
    }
    administration = await emulatedAdministration("host.customer.example");
    aws = await startEmulatedAws({
      account,
      region,
      invoke: administration.invoke,
      otherRegion: { region: regionThere, outputs: { TruststoreBucketName: "truststore-there" } },
    });
    aws.buckets.create("truststore-there");
    installTool("cdk");
  }, 240_000);
  afterAll(async () => {
    await aws?.stop();
    rmSync(directory, { recursive: true });
  });

  /** As the command leaves the first region's stacks. */
  const deployFirst = () => {
    for (const { displayName, stackName: name, template } of readStacks(assemblyOf("first")).values()) {
      if (!/^staging\/(data|vault)$/.test(displayName)) continue;
      const names = Object.keys((template as { Outputs: object }).Outputs);
      const arns = names.filter((one) => /^(\w+PrimaryArn|KeyPepperArn)$/.test(one));
      const outputs = { ...tables, ...Object.fromEntries(arns.map((one) => [one, arnIn(region, one)])) };
      aws.cloudFormation.stacks.set(name, {
        ...{ name, id: name, outputs, status: "CREATE_COMPLETE", isProtected: true, template: "{}" },
        ...{ parameters: {}, changedAt: new Date(), changeSet: undefined, failure: undefined },
      });
    }
  };
  const deployThere = async (writes: "first" | "second" = "first") => {
    const from = aws.calls.length;
    const [program, connections] = [
      path.resolve("test/infra/aws/deploy-serving.ts"),
      path.join(directory, "connections"),
    ];
    const before = administration.commands.length;
    const ran = await runWith(aws, [program, writes, assemblyOf(writes), connections]);
    const calls = aws.calls.slice(from).map((call, index) => `${aws.regions[from + index]} ${call}`);
    return { ...ran, calls, commands: administration.commands.slice(before) };
  };
  const there = (name: string) => aws.cloudFormationThere.stacks.get(name);

  test("says that an environment has no second region", async () => {
    const { code, said } = await runDeploy(aws, ["staging", "--region", "second"]);
    expect([code, said]).toEqual([1, expect.stringContaining("set secondRegion.serves")]);
    const wrong = await runDeploy(aws, ["staging", "--region", "third"]);
    expect([wrong.code, wrong.said]).toEqual([2, expect.stringContaining('--region is "third"')]);
  });

  test("wants the first region first, and then its replicas, and deploys nothing until then", async () => {
    const early = await deployThere();
    expect([early.code, early.said]).toEqual([
      1,
      expect.stringContaining(`There is no ${dataStack} in ${region}: deploy the first region`),
    ]);
    deployFirst();
    const { code, said } = await deployThere();
    expect([code, said]).toEqual([1, expect.stringMatching(/accounts-1 has no replica in eu-central-1/)]);
    expect([...aws.cloudFormationThere.stacks.keys()].filter((name) => name.startsWith("card-"))).toEqual([]);
  });

  test("deploys the stacks there alone, on the replicas, with a truststore and without a Tenant", async () => {
    for (const name of Object.values(tables)) aws.dynamo.add(name);
    const { code, said, calls, commands } = await deployThere();
    expect([code, said]).toEqual([0, expect.stringContaining("Truststore: written, version version-")]);
    const expected = listParts(servingSettings("staging")).map((part) => stackName("staging", part));
    expect([...aws.cloudFormationThere.stacks.keys()].filter((name) => name.startsWith("card-"))).toEqual(
      expected,
    );
    const changes = calls.filter((call) => call.includes("ExecuteChangeSet"));
    expect(changes.filter((call) => !call.startsWith(regionThere))).toEqual([]);
    expect(commands).toEqual(["view-truststore"]);
    expect(calls.filter((call) => call.includes("/invocations"))).toEqual([
      expect.stringMatching(/^eu-central-1 lambda POST .*card-issuing-staging-certificates/),
    ]);
    const { parameters } = there(dataStack) ?? {};
    expect(parameters).toMatchObject({
      IssuingTableNameOfFirst: "issuing-1",
      AccountsTableNameOfFirst: "accounts-1",
      DataKeyPrimaryArnOfFirst: arnIn(regionThere, "DataKeyPrimaryArn"),
      KeyPepperArnOfFirst: arnIn(regionThere, "KeyPepperArn"),
      IssuingStreamArn: expect.stringContaining("table/issuing-1/stream/"),
    });
    expect(there(vaultStack)?.parameters).toMatchObject({
      VaultTableNameOfFirst: "vault-1",
      NumberKeyPrimaryArnOfFirst: arnIn(regionThere, "NumberKeyPrimaryArn"),
    });
    expect(aws.buckets.textAt(`https://s3/truststore-there/${truststoreKey}`)).toContain("BEGIN CERTIFICATE");
    const file = path.join(directory, "connections/staging/second.json");
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
      store: { region: regionThere, issuingTable: "issuing-1", accountsTable: "accounts-1" },
    });
  });

  test("asks nothing of the first region once the second writes: it may be lost", async () => {
    const before = there(dataStack)?.parameters;
    aws.cloudFormation.stacks.clear();
    const { code, said, calls } = await deployThere("second");
    expect([code, said]).toEqual([0, expect.stringContaining("card-issuing-staging-messaging: deployed")]);
    expect(calls.filter((call) => !call.startsWith(regionThere))).toEqual([]);
    expect(there(dataStack)?.parameters).toEqual(before);
  });
});
