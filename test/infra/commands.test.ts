import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { declareCommand, readWords, writeHelp } from "../../infra/command-line/command.ts";
import { findConnectionFile } from "../../infra/command-line/connection-file.ts";
import { flag, number, text as textOption, texts } from "../../infra/command-line/options.ts";
import { readCommands } from "../../infra/commands/platform.ts";
import packageJson from "../../package.json" with { type: "json" };
import { run } from "../harness/run-program.ts";

const platform = "infra/commands/platform.ts";
const commands = await readCommands();
const page = readFileSync("docs/commands.md", "utf8").split("\n");

describe("each command", () => {
  test.each([...commands])("%s: rejects an option that it does not know", (_, command) => {
    if (command.passesOptionsTo !== undefined)
      return expect(writeHelp(command)).toContain(command.passesOptionsTo);
    expect(() => readWords(command, ["--no-such-option"])).toThrow("Unknown option '--no-such-option'");
  });

  test.each([...commands])(
    "%s: is on the page of commands, with each option",
    (_, { name, options = {} }) => {
      const start = name === "start" ? "npm start" : `npm run ${name}`;
      const lines = page.filter((line) => new RegExp(`\`${start}( |\`)`).test(line)).join("\n");
      expect(lines).not.toBe("");
      expect(Object.keys(options).filter((option) => !lines.includes(`--${option}`))).toEqual([]);
    },
  );

  test("no command has another's name, and each has its script", () => {
    for (const [file, { name }] of commands)
      expect(packageJson.scripts[name as keyof typeof packageJson.scripts]).toContain(file);
  });
});

describe("a stray word", () => {
  /** They look at all of their words themselves, before they do anything. */
  const own: Readonly<Record<string, readonly string[]>> = {
    operator: ["list-tickets", "{}", "stray"],
    record: ["stray"],
  };

  test.each([...commands].filter(([, { name }]) => !(name in own)))(
    "of %s is refused by its words alone",
    (_, command) => {
      const takes = command.takes ?? [];
      const words = takes.map(({ name, choices }) => choices?.[0] ?? name);
      expect(() => readWords(command, [...words, "stray"])).toThrow(/stray/);
    },
  );

  test.each(Object.entries(own))("of %s ends it with 2 before it does anything", async (name, words) => {
    const [file = ""] = [...commands].find(([, command]) => command.name === name) ?? [];
    const ran = await run(file, ...words);
    expect(ran).toMatchObject({ status: 2, stdout: "", stderr: expect.stringContaining('"stray"') });
  });

  test.each([
    ["synth", ["local", "stray"], "it must be one of local, staging, production, second-copy, deployer."],
    ["restore", ["stagin"], 'Did you mean "staging"?'],
    ["rollback", ["staging", "autorizer"], 'Did you mean "authorizer"?'],
    ["trigger", ["purchas"], 'Did you mean "purchase"?'],
    ["bench", ["contrls"], 'Did you mean "controls"?'],
    ["audit", ["--jsn"], "Unknown option '--jsn'. Did you mean \"--json\"?"],
  ])("of %s: %j is answered by %s", (name, words, hint) => {
    const [, command] = [...commands].find(([, one]) => one.name === name) ?? [];
    if (command === undefined) throw new Error(`There is no command ${name}.`);
    expect(() => readWords(command, words)).toThrow(hint);
  });
});

describe("npm run platform", () => {
  test("lists every script of package.json in a line", async () => {
    const { stdout } = await run(platform);
    const listed = stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.trim().split(/ {2,}/));
    // npm runs this one by itself.
    const scripts = Object.keys(packageJson.scripts).filter((name) => name !== "postinstall");
    expect(listed.map(([name]) => name)).toEqual(scripts);
    expect(listed.filter(([, summary]) => summary === undefined)).toEqual([]);
  });

  test("runs a command with its words, and ends with its exit code", async () => {
    const ran = await run(platform, "lists", "compare", "--json");
    expect(ran).toMatchObject({ status: 2, stderr: expect.stringContaining("Usage: npm run lists") });
  });

  test("names the command that is meant, or all that there are", async () => {
    const { status, stderr } = await run(platform, "audti");
    expect(status).toBe(2);
    expect(stderr).toMatch(/^There is no command "audti"\. Did you mean "audit"\?\n/);
    expect(stderr).not.toContain("  audit ");
    expect((await run(platform, "unheard-of-thing")).stderr).toContain("  audit ");
  });
});

describe("the words of a command", () => {
  const command = declareCommand({
    name: "example",
    summary: "does nothing",
    takes: [
      { name: "first", about: "one of two", choices: ["a", "b"] },
      { name: "more", about: "anything", is: "repeatable" },
    ],
    options: {
      loud: flag("a flag"),
      count: number("a number", { most: 5, fallback: 3 }),
      share: number("a fraction", { least: 0, most: 1, isFractional: true }),
      file: textOption("<file>", "a text", "none"),
      each: texts("<text>", "several texts"),
    },
    run: async () => undefined,
  });

  test("have their types and defaults", () => {
    expect(readWords(command, ["a"]).options).toEqual({
      loud: false,
      count: 3,
      share: undefined,
      file: "none",
      each: [],
    });
    const words = "b x y --loud --count 5 --share 0.5 --file f --each 1 --each=2".split(" ");
    expect(readWords(command, words)).toEqual({
      words: ["b", "x", "y"],
      passed: [],
      options: { loud: true, count: 5, share: 0.5, file: "f", each: ["1", "2"] },
    });
  });

  test.each([
    ["", "The first is missing."],
    ["c", 'The first is "c"; it must be one of a, b.'],
    ["a --count 6", '--count is "6"; it must be a whole number from 1 to 5.'],
    ["a --count 1.5", '--count is "1.5"; it must be a whole number from 1 to 5.'],
    ["a --count= ", '--count is ""; it must be a whole number from 1 to 5.'],
    ["a --share 2", '--share is "2"; it must be a number from 0 to 1.'],
    ["a --loud=yes", "--loud"],
    ["a --file", "--file"],
    ["a --quiet", "Unknown option '--quiet'."],
  ])("that are wrong are named: %s", (words, message) => {
    expect(() => readWords(command, words.split(" ").filter(Boolean))).toThrow(message);
  });

  test("go to another program where they are its options, and are refused where they are no one's", () => {
    const deploy = commands.get("infra/commands/deploy.ts");
    const read = (words: string) => deploy && readWords(deploy, words.split(" "));
    const words = "staging --bootstrap --require-approval never --verbose --context=a";
    expect(read(words)).toMatchObject({
      words: ["staging"],
      passed: ["--require-approval", "never", "--verbose", "--context=a"],
    });
    for (const stray of [`${words} # the`, "staging # from then on", "staging --bootstrap # the first time"])
      expect(() => read(stray), stray).toThrow('"#" is one argument too many.');
  });

  test("name a platform that does not run", () => {
    expect(() => findConnectionFile("/nowhere/connection.json")).toThrow("There is no /nowhere");
  });
});
