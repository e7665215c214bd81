import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Template } from "aws-cdk-lib/assertions";
import { createApp, type EnvironmentStage } from "../../infra/app.ts";
import type { EnvironmentName } from "../../infra/environments.ts";

export interface Resource {
  readonly Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: CloudFormation's own shape; each assertion says what it expects of it.
  readonly Properties: any;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
  readonly DependsOn?: string | string[];
  readonly Condition?: string;
}

/** The two templates of an environment. */
export interface Synthesized {
  readonly data: Template;
  readonly service: Template;
}

const cache = new Map<EnvironmentName, Synthesized>();

/** An environment's templates, once a test file, without the bundles: they change no template but for their hashes. */
export function synthesized(name: EnvironmentName): Synthesized {
  const known = cache.get(name);
  if (known !== undefined) return known;
  const outdir = mkdtempSync(path.join(tmpdir(), "synthesized-"));
  const app = createApp([name], {
    outdir,
    // Both are proved by synth.test.ts, on the real thing; here they would take most of the time.
    context: { "aws:cdk:bundling-stacks": [] },
    checked: false,
  });
  const stage = app.node.findChild(name) as EnvironmentStage;
  const templates = { data: Template.fromStack(stage.data), service: Template.fromStack(stage.service) };
  rmSync(outdir, { recursive: true });
  cache.set(name, templates);
  return templates;
}

/** All resources of a type, by logical id. */
export function resourcesOf(template: Template, type: string): [string, Resource][] {
  return Object.entries(template.findResources(type) as Record<string, Resource>);
}

/** The one resource of a type whose logical id begins so. */
export function resource(template: Template, type: string, idPrefix: string): [string, Resource] {
  const found = resourcesOf(template, type).filter(([id]) => id.startsWith(idPrefix));
  const [first, second] = found;
  if (first === undefined || second !== undefined) {
    throw new Error(`${found.length} resources of type ${type} begin with ${idPrefix}.`);
  }
  return first;
}
