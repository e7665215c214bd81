import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { S3Client } from "@aws-sdk/client-s3";
import { z } from "zod";
import { synthesize } from "./app.ts";
import { settingsOf, toEnvironmentName } from "./environments.ts";
import { checkClientCaBundle, uploadClientCaBundle } from "./truststore.ts";

const root = path.resolve(import.meta.dirname, "..");

/**
 * `npm run deploy -- <environment> [option of cdk deploy…]`, with credentials of the environment's account: first what is kept,
 * then the clients' CA bundle (`infra/truststore/<environment>.pem`), then the rest, which names the bundle's version.
 */
async function main([requested = "", ...options]: string[]) {
  const { name, region } = settingsOf(toEnvironmentName(requested));
  if (name === "local") throw new Error("The local environment is this machine: npm start.");
  const bundleFile = path.join(root, "infra/truststore", `${name}.pem`);
  if (!existsSync(bundleFile))
    throw new Error(`${bundleFile} is missing: the CA certificates that clients are checked against.`);
  const bundle = readFileSync(bundleFile, "utf8");
  checkClientCaBundle(bundle, new Date());

  const assembly = synthesize(name);
  const { TruststoreBucketName } = DataOutputs.parse(deployStack(assembly, `${name}/data`, options));
  const version = await uploadClientCaBundle(new S3Client({ region }), TruststoreBucketName, bundle);
  deployStack(assembly, `${name}/service`, [...options, "--parameters", `TruststoreVersion=${version}`]);
}

const DataOutputs = z.object({ TruststoreBucketName: z.string() });

/** Runs the pinned command line tool on one stack of the assembly, and returns the stack's outputs. */
function deployStack(assembly: string, stack: string, options: string[]): unknown {
  const directory = mkdtempSync(path.join(tmpdir(), "deploy-"));
  try {
    const outputsFile = path.join(directory, "outputs.json");
    const fixed = ["--app", assembly, "--exclusively", "--outputs-file", outputsFile, "--no-notices"];
    const { status } = spawnSync(
      process.execPath,
      [path.join(root, "node_modules/aws-cdk/bin/cdk"), "deploy", stack, ...fixed, ...options],
      { cwd: root, stdio: "inherit", env: { ...process.env, CDK_DISABLE_CLI_TELEMETRY: "true" } },
    );
    if (status !== 0) throw new Error(`The deployment of ${stack} failed.`);
    const outputsByStack = z
      .record(z.string(), z.unknown())
      .parse(JSON.parse(readFileSync(outputsFile, "utf8")));
    return Object.values(outputsByStack)[0];
  } finally {
    rmSync(directory, { recursive: true });
  }
}

await main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
