import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Template } from "aws-cdk-lib/assertions";
import * as z from "zod";
import {
  KeptResource,
  type KeptResources,
  keptChanges,
  keptResources,
} from "../../infra/commands/deploy/kept-resources.ts";
import { type StackPart, stackName } from "../../infra/stacks/stack-parts.ts";
import { toRecordLines } from "../harness/record-lines.ts";
import { synthesized } from "./synthesized.ts";

/**
 * The environments in AWS. On this machine a new directory takes the place of what does not fit.
 */
export const keepingEnvironments = ["staging", "production"] as const;
export type KeepingEnvironment = (typeof keepingEnvironments)[number];

/** By the stacks' names. */
const KeptList = z.record(z.string(), z.record(z.string(), KeptResource));
type KeptList = z.output<typeof KeptList>;

/** What an environment's stacks keep as they were deployed last. */
export function listed(name: KeepingEnvironment): KeptList {
  return KeptList.parse(JSON.parse(readFileSync(fileOf(name), "utf8")));
}

/** What they would keep as they are now. */
export function assembled(name: KeepingEnvironment): Readonly<Record<string, KeptResources>> {
  const parts = Object.entries(synthesized(name)) as [StackPart, Template][];
  return Object.fromEntries(
    parts.map(([part, template]) => [stackName(name, part), keptResources(template.toJSON())]),
  );
}

/** What is kept and would be lost, or could not be deployed, as sentences. */
export function losses(name: KeepingEnvironment): string[] {
  const now = assembled(name);
  return Object.entries(listed(name)).flatMap(([stack, before]) => {
    const after = now[stack];
    if (after === undefined) return [`${stack} would be gone`];
    return keptChanges(before, after).map(({ logicalId, what }) => `${stack}/${logicalId}: ${what}`);
  });
}

/**
 * Writes the list as the stacks are now. Errors: something of it would be lost, or could not be
 * deployed.
 */
export function record(name: KeepingEnvironment): void {
  const lines = existsSync(fileOf(name)) ? losses(name).map((line) => `  ${line}`) : [];
  if (lines.length > 0) throw new Error([`${name} keeps what would be lost:`, ...lines].join("\n"));
  writeFileSync(fileOf(name), `${toRecordLines(assembled(name), 2)}\n`);
}

function fileOf(name: KeepingEnvironment): string {
  return path.join(import.meta.dirname, "kept", `${name}.json`);
}
