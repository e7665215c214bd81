import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline/promises";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { givenCard, givenProgram } from "../../../test/harness/given-cards.ts";
import { type EmulatedAws, startEmulatedAws } from "../../../test/infra/aws/emulated-aws.ts";
import { readSettings } from "../../environments.ts";

const { account, region } = readSettings("staging");
const name = "card-issuing-staging-data";

describe("npm run console -- --environment staging", () => {
  let aws: EmulatedAws;
  beforeAll(async () => {
    aws = await startEmulatedAws({ account, region, invoke: async () => ({ output: {} }) });
  });
  afterAll(() => aws.stop());

  /** With AWS emulated, except for the tables: these are the test's. */
  function start() {
    const child = spawn(process.execPath, ["infra/console/command.ts", "--environment", "staging"], {
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        ...{ PATH: process.env.PATH, HOME: "/nowhere", AWS_EC2_METADATA_DISABLED: "true" },
        AWS_ENDPOINT_URL: aws.endpoint,
        AWS_ENDPOINT_URL_DYNAMODB: process.env.AWS_ENDPOINT_URL_DYNAMODB,
        ...{ AWS_ACCESS_KEY_ID: "person", AWS_SECRET_ACCESS_KEY: "secret" },
      },
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    return child;
  }

  it("says that the environment is not deployed, or its stacks not readable", async () => {
    const child = start();
    let said = "";
    child.stderr.on("data", (chunk) => {
      said += chunk;
    });
    expect(await once(child, "close")).toEqual([2, null]);
    expect(said).toContain(
      `staging is not deployed in ${region}, or your credentials may not read its stacks.`,
    );
  });

  it("finds the tables in the stack's outputs, and shows what is in them until Ctrl-C", async () => {
    const program = await givenProgram();
    const { cardId } = await givenCard(program);
    aws.cloudFormation.stacks.set(name, {
      name,
      id: `arn:aws:cloudformation:${region}:${account}:stack/${name}/1`,
      status: "UPDATE_COMPLETE",
      isProtected: true,
      template: "{}",
      parameters: {},
      outputs: {
        IssuingTableName: process.env.ISSUING_TABLE ?? "",
        AccountsTableName: process.env.ACCOUNTS_TABLE ?? "",
      },
      changedAt: new Date(),
      changeSet: undefined,
      failure: undefined,
    });
    const child = start();
    const [line] = await once(createInterface(child.stdout), "line");
    expect(line).toMatch(/^The console of staging, until Ctrl-C: http:\/\/127\.0\.0\.1:\d+\/console\?key=/);
    const url = String(line).slice(String(line).indexOf("http"));
    const entered = await fetch(url, { redirect: "manual" });
    const cookie = String(entered.headers.get("set-cookie")).split(";")[0] ?? "";
    const path = `/console/programs/${program.programId}/cards/${cardId}`;
    const page = await fetch(new URL(path, url), { headers: { cookie } });
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining(cardId)]);
    child.kill("SIGINT");
    expect(await once(child, "exit")).toEqual([0, null]);
  });
});
