import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { App } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import cdkJson from "../../cdk.json" with { type: "json" };
import { readSettings } from "../../infra/environments.ts";
import { DataStack } from "../../infra/stacks/data-stack.ts";
import { runWith } from "./aws/deploy-command.ts";
import { type EmulatedAws, startEmulatedAws } from "./aws/emulated-aws.ts";

const { account, region, tableUnits } = readSettings("staging");
const stackName = "card-issuing-staging-data";
const to = "2026-11-22T14:02:59Z";
const [issuing, accounts] = ["issuing", "accounts"].map(
  (table) => `card-issuing-staging-${table}-20261122T140259Z`,
) as [string, string];

/** An outbox item in DynamoDB's own form. */
const outbox = (eventId: string) => ({
  pk: { S: `prg_1#OUTBOX#${eventId}` },
  sk: { S: "OUTBOX" },
  eventId: { S: eventId },
  occurredAt: { S: "2026-11-22T14:00:00.000Z" },
});

/** An item that carries an event. */
const carrier = (eventId: string) => ({
  pk: { S: "prg_1#wlt_1" },
  sk: { S: "TRANSFER#trf_1" },
  outbox: { BOOL: true },
  carried: {
    M: {
      eventId: { S: eventId },
      kind: { S: "transfer.completed" },
      occurredAt: { S: "2026-11-22T14:00:00.000Z" },
      detail: { M: { transferId: { S: "trf_1" } } },
    },
  },
});

/**
 * In DynamoDB's own form: the audit entry of a revoked API user, dated before the restored time.
 */
const revocation = (number: number) => ({
  pk: { S: "tnt_1#AUDIT" },
  sk: { S: `AUDIT#aud_${number}` },
  auditId: { S: `aud_${number}` },
  tenantId: { S: "tnt_1" },
  action: { S: "api-user.revoke" },
  subjectId: { S: `usr_${number}` },
  before: { NULL: true },
  createdAt: { S: "2026-11-22T14:02:50.000Z" },
});

/** The data stack's template, as it is synthesized before and after the restore. */
function dataTemplate(restoredTo?: string): { readonly Resources: Readonly<Record<string, unknown>> } {
  const settings = { ...readSettings("staging"), ...(restoredTo && { restoredTo }) };
  const stack = new DataStack(new App({ context: cdkJson.context }), "data", {
    settings,
    env: { account, region },
  });
  return Template.fromStack(stack).toJSON() as ReturnType<typeof dataTemplate>;
}

describe("npm run restore", { timeout: 120_000 }, () => {
  let directory: string;
  let aws: EmulatedAws;

  beforeAll(async () => {
    directory = mkdtempSync(path.join(tmpdir(), "restore-"));
    aws = await startEmulatedAws({
      account,
      region,
      invoke: async () => ({ output: {} }),
      outputs: {
        IssuingTableName: "issuing-1",
        AccountsTableName: "accounts-1",
        RecordsBucketName: "records-1",
      },
    });
    aws.cloudFormation.stacks.set(stackName, {
      name: stackName,
      id: `arn:aws:cloudformation:${region}:${account}:stack/${stackName}/1`,
      status: "UPDATE_COMPLETE",
      isProtected: true,
      template: JSON.stringify(dataTemplate()),
      parameters: {},
      outputs: {
        IssuingTableName: "issuing-1",
        AccountsTableName: "accounts-1",
        RecordsBucketName: "records-1",
        PublishOutputRefIssuingTableX: "issuing-1",
      },
      changedAt: new Date(),
      changeSet: undefined,
      failure: undefined,
    });
    aws.dynamo.add("issuing-1", [outbox("evt_1"), outbox("evt_2"), carrier("evt_3")]);
    aws.dynamo.add("accounts-1", [revocation(1)]);
  }, 240_000);
  afterAll(async () => {
    await aws?.stop();
    rmSync(directory, { recursive: true });
  });

  const resultIn = (said: string): unknown => JSON.parse(/^\{\n.*?^\}/ms.exec(said)?.[0] ?? "");
  const restore = (...words: string[]) => run("--tables-only", ...words);
  const run = (...words: string[]) =>
    runWith(aws, [
      path.resolve("infra/commands/restore.ts"),
      "staging",
      ...words,
      "--poll",
      "0.1",
      "--connections",
      path.join(directory, "connections"),
    ]);

  test("rejects an invalid time and one out of the tables' range, before it creates anything", async () => {
    expect((await restore("--to", "yesterday")).said).toContain(
      '--to is "yesterday"; it must be a UTC time in whole seconds',
    );
    aws.dynamo.restorable.from = Date.parse(to) / 1_000 + 1;
    const { code, said } = await restore("--to", to);
    expect([code, said]).toEqual([1, expect.stringContaining("The time must be between")]);
    expect([...aws.dynamo.tables.keys()]).toEqual(["issuing-1", "accounts-1"]);
    aws.dynamo.restorable.from = 0;
  });

  test("restores both tables to the same second, enables what a restore omits, and prints the next steps", async () => {
    const { code, said } = await restore("--to", to, "--json");
    expect([code, said]).toEqual([0, expect.stringContaining(`restoredTo: "${to}"`)]);
    expect(said).toContain("repeat this command");
    expect(said).toContain("npm run deploy -- staging --no-caller --accept PublishOutputRefIssuingTableX");
    for (const name of [issuing, accounts]) {
      expect(aws.dynamo.tables.get(name)).toMatchObject({
        restoredFrom: { seconds: Date.parse(to) / 1_000 },
        hasStream: true,
        isProtected: true,
        expires: true,
        hasBackups: true,
        maximum: { MaxReadRequestUnits: tableUnits.reads, MaxWriteRequestUnits: tableUnits.writes },
        insights: "THROTTLED_KEYS",
      });
    }
    const file = path.join(directory, "connections", "staging", "restored.json");
    expect(resultIn(said)).toEqual({ storeFile: file, accepted: ["PublishOutputRefIssuingTableX"] });
    const { store } = JSON.parse(readFileSync(file, "utf8")) as { store: object };
    expect(store).toEqual({
      region,
      issuingTable: issuing,
      accountsTable: accounts,
      records: { bucket: "records-1" },
    });
  });

  test("copies each event again when repeated, because the relay rejects old records", async () => {
    const { code, said } = await restore("--to", to);
    expect([code, said]).toEqual([0, expect.stringContaining(`${issuing}: already restored`)]);
    expect(said).toContain("the restored tables are already there");
    const items = [...(aws.dynamo.tables.get(issuing)?.items.values() ?? [])];
    const copiesOf = (eventId: string) =>
      items.filter(({ pk }) => (pk as { S: string }).S.startsWith(`prg_1#OUTBOX#${eventId}#`));
    for (const eventId of ["evt_1", "evt_2", "evt_3"]) expect(copiesOf(eventId)).toHaveLength(2);
    expect(items).toHaveLength(3 + 3 * 2);
    expect(copiesOf("evt_3")[0]).toMatchObject({
      sk: { S: "OUTBOX" },
      programId: { S: "prg_1" },
      kind: { S: "transfer.completed" },
      detail: { M: { transferId: { S: "trf_1" } } },
    });
  });

  test("imports the tables into the stack as the setting declares them, and keeps the former ones", () => {
    const { Resources } = JSON.parse(aws.cloudFormation.stacks.get(stackName)?.template ?? "{}");
    expect(Resources).toEqual(dataTemplate(to).Resources);
    expect(Resources.IssuingTable20261122T140259Z).toMatchObject({
      DeletionPolicy: "Retain",
      Properties: { TableName: issuing },
    });
  });

  test("prints only the lost commands once the environment serves, also those dated before the restored time", async () => {
    const stack = aws.cloudFormation.stacks.get(stackName);
    const former = aws.dynamo.tables.get("accounts-1")?.items;
    if (stack === undefined || former === undefined) throw new Error("There is no data stack.");
    // Dated before the restored time, committed after it.
    former.set("2", revocation(2));
    const { outputs } = stack;
    stack.outputs = { ...outputs, IssuingTableName: issuing, AccountsTableName: accounts };
    const { code, said } = await restore("--to", to);
    stack.outputs = outputs;
    expect(code).toBe(0);
    expect(said.trim().split("\n").slice(-2)).toEqual([
      "",
      `  npm run operator -- --environment staging revoke-api-key '{"tenantId":"tnt_1","apiUserId":"usr_2"}'`,
    ]);
  });

  test("stops traffic first, which stays stopped after a failure until it goes on or is abandoned", async () => {
    const folders = ["authorizer", "processor-events", "deadlines"];
    const nameOf = (folder: string) => `card-issuing-staging-${folder}`;
    for (const folder of folders)
      aws.versions.functions.set(nameOf(folder), {
        published: ["7"],
        warm: [],
        reserved: 9,
        aliases: { live: { version: "7" } },
      });
    const reserved = () => folders.map((folder) => aws.versions.functions.get(nameOf(folder))?.reserved);
    const at = "2026-11-22T14:30:00Z";
    aws.dynamo.restorable.until = 0;
    expect((await run("--to", at)).said).toMatch(/The time must be between .*Z\.\s*$/);
    expect(reserved()).toEqual([9, 9, 9]);
    aws.dynamo.restorable.until = 4_000_000_000;
    const again = await run("--to", at);
    expect(again.said).toContain("1 of 8: traffic is stopped");
    // The emulator has no index to read the books by.
    expect(again.said).toContain("3 of 8: the books are audited");
    expect(again.said).toContain("The audit did not finish");
    expect(again.said).toContain(
      `Traffic is stopped. To go on from here: npm run restore -- staging --to ${at}`,
    );
    expect([again.code, reserved()]).toEqual([1, [0, 0, 0]]);
    expect(await run("--to", at, "--abandon")).toMatchObject({ code: 0 });
    expect(reserved()).toEqual([25, 50, 1]);
  });

  test("takes tables that AWS Backup has restored from a copy which is older than the tables' range", async () => {
    const copiedAt = "2026-09-01T05:00:00Z";
    aws.dynamo.restorable.from = Date.parse(to) / 1_000;
    for (const [table, source] of [
      ["issuing", "issuing-1"],
      ["accounts", "accounts-1"],
    ])
      aws.dynamo.restoreCopy(`card-issuing-staging-${table}-20260901T050000Z`, String(source), copiedAt);
    const { code, said } = await restore("--to", copiedAt);
    aws.dynamo.restorable.from = 0;
    expect([code, said]).toEqual([0, expect.stringContaining("already restored")]);
    expect(aws.dynamo.tables.get("card-issuing-staging-issuing-20260901T050000Z")).toMatchObject({
      hasStream: true,
      insights: "THROTTLED_KEYS",
    });
  });

  test("names an earlier restore's tables, which leave the stack, and rejects a template that is too large", async () => {
    const stack = aws.cloudFormation.stacks.get(stackName);
    if (stack === undefined) throw new Error("There is no data stack.");
    const later = "2026-11-22T15:00:00Z";
    const { code, said } = await restore("--to", later);
    expect(code).toBe(0);
    expect(said).toContain("--accept IssuingTable20261122T140259Z");
    expect(said).not.toContain("--accept IssuingTable20261122T150000Z");
    stack.template = JSON.stringify({ ...dataTemplate(), Description: "x".repeat(52_000) });
    const refused = await restore("--to", later);
    expect([refused.code, refused.said]).toEqual([1, expect.stringContaining("more than 51200 bytes")]);
  });
});
