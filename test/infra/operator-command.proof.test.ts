import { describe, expect, test } from "vitest";
import {
  describeCommand,
  findCommand,
  listCommands,
  readInput,
} from "../../infra/commands/operator/contract.ts";
import { authorityCommands } from "../../shared/contract/authority.ts";
import { operatorCommands } from "../../shared/contract/operator.ts";
import { newId } from "../../shared/platform/id.ts";
import { run } from "../harness/run-program.ts";

const file = "infra/commands/operator.ts";
const names = Object.keys({ ...operatorCommands, ...authorityCommands });
const programId = newId("program");

describe("npm run operator", () => {
  test("lists every command in a line, and the dead letters", async () => {
    const { status, stdout } = await run(file);
    expect(status).toBe(0);
    const listed = stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.trim().split(/ {2,}/));
    expect(listed.map(([name]) => name)).toEqual([...names, "dead-letters"]);
    for (const [name, about] of listed) expect(about, name).toMatch(/^[A-Z`].{15,}\.$/);
    expect(`${listCommands()}\n`).toBe(stdout);
  });

  test.each(names)("describes each field of %s, with an example that it would take but for ids", (name) => {
    const command = findCommand(name);
    const help = describeCommand(command);
    expect(help).toContain(command.about);
    for (const [, json] of help.matchAll(/-- \S+ '(\{.*\})'$/gm)) {
      const known = json?.replace(/([a-z]{3}_)…/g, `$1${programId.slice(4)}`) ?? "";
      const read = command.input.safeParse(JSON.parse(known));
      const faults = read.success ? [] : read.error.issues.filter(({ code }) => code === "unrecognized_keys");
      expect(faults).toEqual([]);
      for (const field of Object.keys(JSON.parse(known))) expect(help).toContain(`--${field} `);
    }
  });

  test("--help behind a command says what it takes", async () => {
    const { status, stdout } = await run(file, "set-clearing-delay", "--help");
    expect(status).toBe(0);
    expect(stdout).toContain("--seconds    a whole number from 0 to 2592000");
    expect(stdout).toContain(`npm run operator -- set-clearing-delay '{"programId":"prg_…","seconds":1}'`);
  });

  test.each([
    [["create-tenat"], 'There is no command "create-tenat". Did you mean "create-tenant"?'],
    [["unheard-of-thing"], 'There is no command "unheard-of-thing".\n'],
    [["list-suspense", "{}"], "programId: "],
    [
      ["list-suspense", "--program", programId],
      'The command takes --programId, --limit, --after. Did you mean "--programId"?',
    ],
    [["create-tenat", "--help"], 'Did you mean "create-tenant"?'],
    [
      ["create-tenant", '{"name":"A","contactEmail":"a@b.example","contctPhone":"1"}'],
      "contctPhone: is not a field",
    ],
    [["list-tickets", '{"limt": 5}'], '  limt: is not a field of it. Did you mean "limit"?'],
    [["dead-letters", "--all"], "Unknown option '--all'."],
    [["dead-letters", "shw"], 'is none of these. Did you mean "show"?'],
    [["dead-letters", "show"], "  dead-letters show <queue>"],
    [["dead-letters", "show", "fils"], 'The queue is "fils"; it must be one of'],
    [["list-suspense", "--programId"], "--programId has no value."],
    [["list-suspense", "{", "x"], '"x" is one argument too many.'],
    [["list-suspense", "{"], "The input is not JSON"],
    [["list-suspense", "{}", "--limit", "5"], "not as both"],
    [["set-clearing-delay", "--programId", programId, "--seconds", "soon"], "seconds: "],
  ])("ends %j with 2 before it calls anything", async (words, message) => {
    const { status, stdout, stderr } = await run(file, ...words);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain(message);
  });

  test("takes fields as options, as the JSON would be", () => {
    const read = (name: string, ...options: string[]) => readInput(findCommand(name), undefined, options);
    expect(read("list-suspense", "--programId", programId, "--limit=5")).toEqual({ programId, limit: 5 });
    const bins = ["400000", "40000012"];
    expect(read("set-bins", `--bins=${JSON.stringify(bins)}`, "--programId", programId)).toEqual({
      programId,
      bins,
    });
    const tenantId = newId("tenant");
    const named = ["--tenantId", tenantId, "--reason", "Asked for by phone."];
    expect(read("suspend-tenant", ...named)).toEqual({ tenantId, reason: "Asked for by phone." });
    const channel = { tenantId, channel: "email", email: "them@customer.example" };
    expect(
      read("set-notifications", ...Object.entries(channel).map(([name, value]) => `--${name}=${value}`)),
    ).toEqual(channel);
    expect(readInput(findCommand("list-authorities"), undefined, [])).toEqual({});
  });

  test("says of a field that is left out that it is required", () => {
    const read = () => readInput(findCommand("block-card"), '{"cardId": "crd_1"}', []);
    expect(read).toThrow("  programId: is required\n  cardId: must be a card id");
  });
});
