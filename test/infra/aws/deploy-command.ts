import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { installTool } from "../../../infra/tools/install-tool.ts";
import type { EmulatedAws } from "./emulated-aws.ts";

export interface Ran {
  readonly code: number | null;
  /** All that it said, on both streams. */
  readonly said: string;
}

/** Runs `npm run deploy` against emulated AWS. */
export function runDeploy(
  aws: Pick<EmulatedAws, "endpoint">,
  words: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  // It has no home there, in which npm could work.
  installTool("cdk");
  return runWith(aws, [resolve("infra/commands/deploy.ts"), ...words], variables);
}

/** Runs a program of Node against emulated AWS, with nothing of this machine's own settings. */
export function runWith(
  aws: Pick<EmulatedAws, "endpoint">,
  words: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  return endOf(startWith(aws, words, { variables }));
}

interface Started {
  readonly variables?: Readonly<Record<string, string>>;
  /** In a process group of its own, as a terminal's. */
  readonly isGroup?: boolean;
}

export function startWith(
  aws: Pick<EmulatedAws, "endpoint">,
  words: readonly string[],
  { variables = {}, isGroup = false }: Started = {},
) {
  return spawn(process.execPath, words, {
    detached: isGroup,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      HOME: "/nowhere",
      CI: "true",
      NO_COLOR: "1",
      AWS_EC2_METADATA_DISABLED: "true",
      AWS_ENDPOINT_URL: aws.endpoint,
      AWS_ACCESS_KEY_ID: "deployer",
      AWS_SECRET_ACCESS_KEY: "secret",
      ...variables,
    },
  });
}

export async function endOf(child: ReturnType<typeof startWith>): Promise<Ran> {
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += chunk));
  await once(child, "close");
  return { code: child.exitCode, said };
}
