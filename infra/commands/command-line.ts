import { type ParseArgsOptionsConfig, parseArgs } from "node:util";

export function parseWords<Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: Options,
  usage: string,
) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new Error(`${messageOf(error)}\n\n${usage}`);
  }
}

export async function runCommand(run: (words: string[]) => Promise<void>): Promise<void> {
  await run(process.argv.slice(2)).catch((error: unknown) => {
    console.error(messageOf(error));
    process.exitCode = 1;
  });
}

export function say(line: string): void {
  console.log(`- ${line}`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
