import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApp } from "../../infra/app.ts";
import { readSettings } from "../../infra/environments.ts";
import { runDeploy } from "../infra/aws/deploy-command.ts";
import { type EmulatedAws, startEmulatedAws } from "../infra/aws/emulated-aws.ts";
import { type GivenPlatform, givenPlatform } from "./given-platform.ts";

const { account, region } = readSettings("staging");

/** Against emulated AWS: this machine's platform stands for the deployed one. */
describe("npm run deploy, to its end", { timeout: 240_000 }, () => {
  let directory: string;
  let given: GivenPlatform;
  let aws: EmulatedAws;

  beforeAll(async () => {
    directory = mkdtempSync(path.join(tmpdir(), "deploy-"));
    given = await givenPlatform();
    const { connection, functions } = given.platform;
    createApp(["staging"], { outdir: path.join(directory, "assembly"), checked: false }).synth();
    aws = await startEmulatedAws({
      account,
      region,
      invoke: async (functionName, event) => {
        const { payload, functionError } = await functions.invoke(
          functionName.replace("staging", "local"),
          event,
        );
        return { output: payload, isError: functionError !== undefined };
      },
      outputs: { PlatformBaseUrl: connection.baseUrl, SandboxBaseUrl: connection.sandboxUrl },
    });
    for (const qualifier of ["hnb659fds", "vault"]) {
      aws.parameters.all.set(`/cdk-bootstrap/${qualifier}/version`, { value: "30", type: "String" });
      aws.buckets.create(`cdk-${qualifier}-assets-${account}-${region}`);
    }
  }, 240_000);
  afterAll(async () => {
    await aws?.stop();
    await given?.stop();
    rmSync(directory, { recursive: true });
  });

  const deploy = () => {
    const files = ["--assembly", path.join(directory, "assembly"), "--connections", directory];
    const caller = ["--caller", "127.0.0.1", "--caller-domain", "demo.test"];
    const words = ["staging", ...files, ...caller, "--require-approval", "never", "--patience", "60"];
    return runDeploy(aws, words, { NODE_EXTRA_CA_CERTS: given.connection.ca });
  };
  const tenantId = () => {
    const file = path.join(directory, "staging/connection.json");
    return (JSON.parse(readFileSync(file, "utf8")) as { tenantId: string }).tenantId;
  };

  it("makes a Tenant that gets in with the certificate of the environment's CA, and lives the life of a Card; once", async () => {
    const first = await deploy();
    expect(first).toMatchObject({ code: 0, said: expect.stringMatching(/all \d{2} checks passed\./) });
    expect(first.said).toContain(" - and its money is back in the Wallet");
    const made = tenantId();
    expect(made).not.toBe(given.connection.tenantId);

    const second = await deploy();
    expect(second).toMatchObject({ code: 0, said: expect.stringMatching(/all \d{2} checks passed\./) });
    expect(second.said).toContain(`The platform's own Tenant ${made}: already there`);
    expect(tenantId()).toBe(made);
  });
});
