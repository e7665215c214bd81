import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import * as z from "zod";

export interface AssembledStack {
  /** Such as `staging/data`. */
  readonly displayName: string;
  readonly stackName: string;
  readonly template: unknown;
  /** The bootstrap version that the stack requires. */
  readonly bootstrap: { readonly version: number; readonly parameter: string } | undefined;
}

const Manifest = z.object({ artifacts: z.record(z.string(), z.unknown()) });
const Nested = z.object({
  type: z.literal("cdk:cloud-assembly"),
  properties: z.object({ directoryName: z.string() }),
});
const Stack = z.object({
  type: z.literal("aws:cloudformation:stack"),
  displayName: z.string(),
  properties: z.object({
    templateFile: z.string(),
    stackName: z.string(),
    requiresBootstrapStackVersion: z.int().optional(),
    bootstrapStackVersionSsmParameter: z.string().optional(),
  }),
});

/** Reads an environment's stacks by display name. Throws if the directory has no assembly. */
export function readStacks(directory: string): ReadonlyMap<string, AssembledStack> {
  if (!existsSync(path.join(directory, "manifest.json"))) {
    throw new Error(`${directory} contains no assembly. Write one with npm run synth.`);
  }
  const stacks = stacksIn(directory);
  return new Map(stacks.map((stack) => [stack.displayName, stack]));
}

function stacksIn(directory: string): AssembledStack[] {
  const { artifacts } = Manifest.parse(readJson(directory, "manifest.json"));
  return Object.values(artifacts).flatMap((artifact) => {
    const nested = Nested.safeParse(artifact);
    if (nested.success) return stacksIn(path.join(directory, nested.data.properties.directoryName));
    const stack = Stack.safeParse(artifact);
    return stack.success ? [toStack(directory, stack.data)] : [];
  });
}

function toStack(directory: string, { displayName, properties }: z.output<typeof Stack>): AssembledStack {
  const { requiresBootstrapStackVersion: version, bootstrapStackVersionSsmParameter: parameter } = properties;
  return {
    displayName,
    stackName: properties.stackName,
    template: readJson(directory, properties.templateFile),
    bootstrap: version === undefined || parameter === undefined ? undefined : { version, parameter },
  };
}

function readJson(directory: string, file: string): unknown {
  return JSON.parse(readFileSync(path.join(directory, file), "utf8"));
}
