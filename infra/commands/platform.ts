import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import packageJson from "../../package.json" with { type: "json" };
import { type Command, declareCommand, runCommand } from "../command-line/command.ts";
import { didYouMean } from "../command-line/did-you-mean.ts";
import { UsageError } from "../command-line/options.ts";

/** Scripts that run another program, which has its own options. */
const ofOtherPrograms: Readonly<Record<string, string>> = {
  test: "runs the quick tests",
  proofs: "runs the slow tests: *.proof.test.ts and the rest of test/system",
  grants: "says which permissions of the functions the tests needed, and why the others exist",
  format: "formats the code",
  cdk: "runs the CDK's own command line",
  mutants: "runs mutation tests of ledger, authorizations and authorizer",
};

const root = path.resolve(import.meta.dirname, "../..");
const scripts: Readonly<Record<string, string>> = packageJson.scripts;

export const command = declareCommand({
  name: "platform",
  summary: "lists all commands, or runs one",
  takes: [
    { name: "command", about: "default: lists all", is: "optional" },
    { name: "word", about: "for the command, whose options --help after it shows", is: "repeatable" },
  ],
  run: async ({ words: [name] }) => {
    const list = await listCommands();
    if (name !== undefined) {
      const hint = didYouMean(name, Object.keys(scripts));
      throw new UsageError(`There is no command "${name}".${hint || ` There are:\n\n${list}`}`);
    }
    console.log(list);
  },
});

/** The commands of this repository, by the files that the scripts run. */
export async function readCommands(): Promise<Map<string, Command>> {
  const files = Object.values(scripts).flatMap((script) => /\bnode .*?(\S+\.ts)$/.exec(script)?.[1] ?? []);
  const others = files.filter((file) => path.join(root, file) !== import.meta.filename);
  const read = async (file: string) => [file, (await import(path.join(root, file))).command] as const;
  return new Map(await Promise.all(others.map(read)));
}

async function listCommands(): Promise<string> {
  const commands = [
    ...[...(await readCommands()).values()].map(({ name, summary }) => [name, summary] as const),
    ...Object.entries(ofOtherPrograms),
    [command.name, command.summary] as const,
  ];
  const order = Object.keys(scripts);
  const rows = commands.toSorted(([left], [right]) => order.indexOf(left) - order.indexOf(right));
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, summary]) => `  ${name.padEnd(width)}  ${summary}`).join("\n");
}

async function runScript(name: string, words: readonly string[]): Promise<never> {
  const child = spawn("npm", ["run", "--silent", name, "--", ...words], { cwd: root, stdio: "inherit" });
  // A terminal's Ctrl-C reaches the command too, which ends this one.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => signal !== "SIGINT" && child.kill(signal));
  const [code] = await once(child, "exit");
  process.exit(code ?? 1);
}

if (import.meta.main) {
  const [name = "", ...words] = process.argv.slice(2);
  if (Object.hasOwn(scripts, name)) await runScript(name, words);
  await runCommand(command);
}
