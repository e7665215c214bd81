import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { addStages, createEmptyApp } from "../../../infra/app.ts";
import { codeContext } from "../../../infra/constructs/code-asset.ts";
import { firstSuffix, streamParameters } from "../../../infra/constructs/second-region.ts";
import { ensureFreshAssembly } from "../../../infra/development/fresh-assembly.ts";
import { readSettings } from "../../../infra/environments.ts";
import { stackName, stageName } from "../../../infra/stacks/stack-parts.ts";

type Resources = Readonly<Record<string, { readonly Type: string }>>;
interface StackTemplate {
  readonly Parameters?: Readonly<Record<string, unknown>>;
  readonly Resources: Resources;
  readonly Outputs: Readonly<Record<string, { readonly Value: unknown }>>;
}

/** What a second region has without stacks of its own: it is replicated, or one for all regions. */
const replicated = new Set([
  "AWS::DynamoDB::GlobalTable",
  "AWS::IAM::ManagedPolicy",
  "AWS::KMS::Key",
  "AWS::SecretsManager::Secret",
]);

/**
 * The second region's stacks while it writes, as a platform on this machine runs them: with the
 * replicas in their templates, as the first region's stacks declare them. Returns the assembly.
 */
export async function secondStage(outdir: string): Promise<string> {
  const region = "eu-central-1";
  const certificate = `arn:aws:acm:${region}:000000000000:certificate/00000000-0000-4000-8000-000000000004`;
  const serves = {
    platformCertificateArn: certificate,
    sandboxCertificateArn: certificate,
    webhookCertificateArn: certificate,
  };
  const secondRegion = { region, hasReplicas: true, writes: "second" as const, serves };
  const settings = { ...readSettings("local"), secondRegion };
  const folderOf = (place: Parameters<typeof stageName>[0]) =>
    path.join(outdir, `assembly-${stageName(place)}`);
  const [first, there] = [folderOf(settings), folderOf({ ...settings, region })];
  const context = { [codeContext]: path.relative(there, await newestBundles()) };
  const app = createEmptyApp({ outdir, checked: false, context });
  addStages(app, settings);
  app.synth();
  for (const part of ["data", "vault"] as const) {
    const [one, other] = [first, there].map((folder) => templateFile(folder, stackName("local", part)));
    const merged = withReplicas(read(one ?? ""), read(other ?? ""));
    writeFileSync(other ?? "", JSON.stringify(merged));
  }
  return there;
}

/** A parameter's place takes what the deploy command would ask a stack or a table for. */
function withReplicas(first: StackTemplate, there: StackTemplate): StackTemplate {
  const output = (name: string) => first.Outputs[name]?.Value;
  let text = JSON.stringify(there);
  for (const name of Object.keys(there.Parameters ?? {})) {
    const table = streamParameters[name as keyof typeof streamParameters];
    const { Ref: tableId } = (output(`${table}Name`) ?? {}) as { Ref?: string };
    const value = name.endsWith(firstSuffix)
      ? output(name.slice(0, -firstSuffix.length))
      : tableId && { "Fn::GetAtt": [tableId, "StreamArn"] };
    if (value !== undefined) text = text.replaceAll(JSON.stringify({ Ref: name }), JSON.stringify(value));
  }
  const replicas = Object.entries(first.Resources).filter(([, { Type }]) => replicated.has(Type));
  const { Resources, ...rest } = JSON.parse(text) as StackTemplate;
  return { ...rest, Resources: { ...Object.fromEntries(replicas), ...Resources } };
}

/** Those that a platform has just started with. */
async function newestBundles(): Promise<string> {
  const assembly = await ensureFreshAssembly({ say: () => {} });
  const newest = readdirSync(assembly)
    .filter((name) => /^bundles-\d+$/.test(name))
    .toSorted()
    .at(-1);
  if (newest === undefined) throw new Error(`${assembly} has no bundles.`);
  return path.join(assembly, newest);
}

function templateFile(folder: string, name: string): string {
  const { artifacts } = read<{ artifacts: Record<string, { properties?: Record<string, string> }> }>(
    path.join(folder, "manifest.json"),
  );
  const stack = Object.values(artifacts).find(({ properties }) => properties?.stackName === name);
  return path.join(folder, stack?.properties?.templateFile ?? "");
}

function read<T = StackTemplate>(file: string): T {
  return JSON.parse(readFileSync(file, "utf8")) as T;
}
