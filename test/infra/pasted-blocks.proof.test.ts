import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { pageFiles, shellBlocks } from "../system/guides/guide-blocks.ts";

/** An interactive zsh takes `#` for a word, and `?` of an unquoted URL for names of files. */
const shells = [
  { name: "bash", words: ["--norc", "--noediting", "-i"], handler: "command_not_found_handle" },
  { name: "zsh", words: ["-f", "-i"], handler: "command_not_found_handler" },
] as const;
const installed = shells.filter(({ name }) => spawnSync(name, ["-c", "true"]).status === 0);
const directory = mkdtempSync(path.join(tmpdir(), "pasted-"));
for (const folder of [".local/logs", "1"]) mkdirSync(path.join(directory, folder), { recursive: true });
writeFileSync(path.join(directory, ".local/logs/one.log"), "");
writeFileSync(path.join(directory, ".local/connection.json"), "{}");

/** Pastes the text where no program exists: what would run is written down instead. */
function paste({ name, words, handler }: (typeof shells)[number], text: string) {
  const begin = [
    "PS1= PS2=",
    // Each prints a 1: a number, and a folder that exists.
    `${handler}() { printf ' <%s>' "$@" >> ran; printf '\\n' >> ran; printf 1; }`,
    "cd() { :; }; trap() { :; }",
    "PATH=/nowhere",
  ].join("\n");
  const file = path.join(directory, "ran");
  rmSync(file, { force: true });
  const shell = spawnSync("/usr/bin/env", [name, ...words], {
    cwd: directory,
    input: `${begin}\n${text}\nprintf '\\nTHE END\\n'\nexit\n`,
    encoding: "utf8",
    timeout: 20_000,
    // An interactive shell does not end by SIGTERM.
    killSignal: "SIGKILL",
  });
  const ends = shell.stdout.split("\n").includes("THE END") ? [] : ["it goes on after its last line"];
  const ran = existsSync(file) ? readFileSync(file, "utf8") : "";
  const comments = ran.split("\n").filter((line) => line.includes("<#"));
  const complaints = shell.stderr
    .split("\n")
    .filter((line) => /\b(zsh|bash): (?!no job control|cannot set|\[.*tcsetattr)/.test(line));
  return [...ends, ...comments, ...complaints];
}

describe.each(installed)("a block that is pasted into an interactive $name", (shell) => {
  test.each(pageFiles())("of %s is taken as it was meant", (file) => {
    const faults = shellBlocks(readFileSync(file, "utf8")).flatMap(({ line, text }) =>
      paste(shell, text).map((fault) => `line ${line}: ${fault}`),
    );
    expect(faults).toEqual([]);
  });

  test("is seen to be taken otherwise", () => {
    expect(paste(shell, "npm start")).toEqual([]);
    expect(paste(shell, 'npm start "a')).not.toEqual([]);
    expect(paste(shell, "npm start <message id>")).not.toEqual([]);
    if (shell.name === "zsh") expect(paste(shell, "npm start # a comment")).not.toEqual([]);
    if (shell.name === "zsh") expect(paste(shell, "curl https://api/cards?page=1")).not.toEqual([]);
  });
});
