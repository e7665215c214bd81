import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { S3Client } from "@aws-sdk/client-s3";
import { z } from "zod";
import { administer } from "./administration.ts";
import { synthesize } from "./app.ts";
import { settingsOf, toEnvironmentName } from "./environments.ts";
import { rollOut } from "./roll-out.ts";
import { checkClientCaBundle, clientCaBundleVersion, uploadClientCaBundle } from "./truststore.ts";

const root = path.resolve(import.meta.dirname, "..");

/**
 * `npm run deploy -- <environment> [option of cdk deploy…]`, with credentials of the environment's account: what is kept, what may be replaced, and the
 * CA bundle that clients are checked against. CAs of one's own, whose certificates stand in `infra/truststore/<environment>.pem`, are trusted beside the
 * environment's.
 */
async function main([requested = "", ...options]: string[]) {
  const { name, region } = settingsOf(toEnvironmentName(requested));
  if (name === "local") throw new Error("The local environment is this machine: npm start.");
  const assembly = synthesize(name);
  const s3 = new S3Client({ region });
  let bucket = "";
  await rollOut({
    deployData: () => {
      bucket = DataOutputs.parse(deployStack(assembly, `${name}/data`, options)).TruststoreBucketName;
    },
    deployService: (version) => {
      const parameters = version === undefined ? [] : ["--parameters", `TruststoreVersion=${version}`];
      deployStack(assembly, `${name}/service`, [...options, ...parameters]);
    },
    currentVersion: () => clientCaBundleVersion(s3, bucket),
    publishTruststore: async () => {
      const bundle = Bundle.parse(JSON.parse(await administer(name, "view-truststore", {}))).truststore;
      const file = path.join(root, "infra/truststore", `${name}.pem`);
      const whole = existsSync(file) ? `${bundle}${readFileSync(file, "utf8")}` : bundle;
      checkClientCaBundle(whole, new Date());
      return uploadClientCaBundle(s3, bucket, whole);
    },
  });
}

const Bundle = z.object({ truststore: z.string() });
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
