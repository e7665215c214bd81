import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { cards } from "../../shared/cards/card.ts";
import { environment } from "../../shared/platform/environment.ts";
import { overwrite } from "../harness/given-cards.ts";
import { givenProvableCard } from "../harness/given-provable-card.ts";

let directory: string;
let connectionFile: string;

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), "audit-"));
  connectionFile = path.join(directory, "connection.json");
  const store = {
    endpoint: process.env.AWS_ENDPOINT_URL_DYNAMODB,
    region: "eu-west-1",
    issuingTable: environment.issuingTable,
    accountsTable: environment.accountsTable,
  };
  writeFileSync(connectionFile, JSON.stringify({ baseUrl: "https://localhost", store }));
});
afterEach(() => rmSync(directory, { recursive: true }));

function audit(variables: Record<string, string>, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["infra/commands/audit.ts", ...args], {
    encoding: "utf8",
    env: { ...process.env, ...variables },
  });
  return { status, stdout, stderr };
}

describe("npm run audit", () => {
  test("prints its result, and writes the journal beside the connection file, readable only by its owner", async () => {
    const { used, program, cardId } = await givenProvableCard();
    await used();
    const sound = audit({}, connectionFile);
    expect(sound).toMatchObject({ status: 0 });
    expect(sound.stdout).toContain(": 1 accounts, 5 journal entries, 4 processor events.");
    expect(sound.stdout).toContain("The books are in order.");
    const journal = path.join(directory, "audit.journal");
    const json = audit({ LOCAL_DIR: directory }, "--json");
    expect(json).toMatchObject({ status: 0, stderr: expect.stringContaining("The books are in order.") });
    expect(JSON.parse(json.stdout)).toMatchObject({ accounts: 1, faults: [], journalFile: journal });
    expect(readFileSync(journal, "utf8")).toContain(`${program.programId}:${cardId}:available  -15.00 USD`);
    expect(statSync(journal).mode & 0o077).toBe(0);

    const key = cards.key(program.programId, cardId);
    await overwrite(key, { ledgerMinor: 1 });
    const elsewhere = path.join(directory, "elsewhere");
    const unsound = audit({}, connectionFile, elsewhere);
    expect(unsound).toMatchObject({ status: 1 });
    expect(unsound.stdout).toContain(`! ${program.programId} ${cardId}: storedLedger:`);
    expect(unsound.stdout).toContain("Faults: 1.");
    expect(readFileSync(elsewhere, "utf8")).toContain("stored balances");
  });

  test("says where no platform runs", () => {
    const { status, stderr } = audit({ LOCAL_DIR: path.join(directory, "nothing") });
    expect([status, stderr]).toEqual([2, expect.stringContaining("Start it with npm start")]);
  });
});
