import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Template } from "aws-cdk-lib/assertions";
import { createApp, EnvironmentStage } from "../../infra/app.ts";
import { type EnvironmentName, readSettings, type Settings } from "../../infra/environments.ts";
import type { StackPart } from "../../infra/stacks/stack-parts.ts";

export interface Resource {
  readonly Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: each assertion says what it expects.
  readonly Properties: any;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
  readonly DependsOn?: string | string[];
  readonly Condition?: string;
}

/**
 * The templates of an environment; production has no sandbox, and alone a second copy. None has a
 * network's listener.
 */
type Asked = "sandbox" | "backup" | "listener";
export type Synthesized = Readonly<Record<Exclude<StackPart, Asked>, Template>> &
  Readonly<Partial<Record<Asked, Template>>>;

const cache = new Map<string, Synthesized>();

/** An environment's templates, without the bundles, which change nothing but hashes. */
export function synthesized(name: EnvironmentName, settings: Settings = readSettings(name)): Synthesized {
  const key = createHash("sha256").update(JSON.stringify(settings)).digest("hex");
  const asked = `synthesized-${name}-${key}`;
  const known = cache.get(asked);
  if (known !== undefined) return known;
  // A script's temporary folder is everybody's, and may have those of earlier code.
  const found = process.env.VITEST ? synthesizeOnce(asked, name, settings) : synthesize(name, settings);
  const options = { skipCyclicalDependenciesCheck: true };
  const templates = Object.entries(found).map(([part, json]) => [part, Template.fromJSON(json, options)]);
  cache.set(asked, Object.fromEntries(templates));
  return synthesized(name, settings);
}

/** Once for all the workers of a run, which has a temporary folder of its own. */
function synthesizeOnce(asked: string, ...environment: Parameters<typeof synthesize>) {
  const file = path.join(tmpdir(), `${asked}.json`);
  if (!existsSync(file)) {
    writeFileSync(`${file}.${process.pid}`, JSON.stringify(synthesize(...environment)));
    renameSync(`${file}.${process.pid}`, file);
  }
  return JSON.parse(readFileSync(file, "utf8")) as ReturnType<typeof synthesize>;
}

function synthesize(name: EnvironmentName, settings: Settings): Record<string, Record<string, unknown>> {
  const outdir = mkdtempSync(path.join(tmpdir(), "synthesized-"));
  // Both are proved by synth.test.ts, on the real thing; here they would take most of the time.
  const context = { "aws:cdk:bundling-stacks": [] };
  const { stacks } = new EnvironmentStage(createApp([], { outdir, context, checked: false }), name, settings);
  const parts = [...stacks].map(([part, stack]) => [part, Template.fromStack(stack).toJSON()]);
  rmSync(outdir, { recursive: true });
  return Object.fromEntries(parts);
}

/** All resources of a type, by logical id: those of one template, or of a whole environment. */
export function resourcesOf(from: Template | Synthesized, type: string): [string, Resource][] {
  return templatesIn(from).flatMap((template) =>
    Object.entries(template.findResources(type) as Record<string, Resource>),
  );
}

export function templatesIn(from: Template | Synthesized): Template[] {
  return from instanceof Template ? [from] : Object.values(from);
}

/**
 * A value with the references from stack to stack as they are within the stack that they lead to.
 */
export function resolved(templates: Synthesized, value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => resolved(templates, one));
  const { "Fn::GetStackOutput": output } = value as Record<string, { StackName: string; OutputName: string }>;
  if (output) {
    const part = output.StackName.split("-").at(-1) as StackPart;
    return templates[part]?.toJSON().Outputs[output.OutputName].Value;
  }
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, resolved(templates, one)]));
}

/** The one resource of a type whose logical id begins so. */
export function resource(from: Template | Synthesized, type: string, idPrefix: string): [string, Resource] {
  const found = resourcesOf(from, type).filter(([id]) => id.startsWith(idPrefix));
  const [first, second] = found;
  if (first === undefined || second !== undefined) {
    throw new Error(`${found.length} resources of type ${type} begin with ${idPrefix}.`);
  }
  return first;
}
