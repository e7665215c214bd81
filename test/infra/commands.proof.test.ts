import { describe, expect, test } from "vitest";
import { writeHelp } from "../../infra/command-line/command.ts";
import { readCommands } from "../../infra/commands/platform.ts";
import { run } from "../harness/run-program.ts";

const commands = await readCommands();

describe("each command", () => {
  test.concurrent.each([...commands])("%s: --help prints its usage", async (file, command) => {
    const { status, stdout, stderr } = await run(file, "--help");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toBe(`${writeHelp(command)}\n`);
  });

  test.concurrent.each([...commands])(
    "%s: rejects an option that it does not know",
    async (file, command) => {
      // deploy passes it on, but lacks its environment.
      const { status, stdout, stderr } = await run(file, "--no-such-option");
      expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
      expect(stderr).toMatch(/^(Unknown option '--no-such-option'|The environment is missing)\.\n/);
      expect(stderr).toContain(writeHelp(command));
    },
  );
});
