/** In deployment order: each reads only from earlier ones. A renamed stack is a new, empty one. */
export const stackParts = [
  "data",
  "telemetry",
  "vault",
  "backup",
  "messaging",
  "api",
  "sandbox",
  "operations",
  "edge",
] as const;
export type StackPart = (typeof stackParts)[number];

/** The content of each stack, for its description in CloudFormation. */
export const stackContents: Readonly<Record<StackPart, string>> = {
  data: "tables, keys, truststore and pepper, which outlive the stack",
  telemetry: "the logs' key and the alarms' topic",
  vault: "card numbers and PINs, with the keys and the function that alone can read them",
  backup: "the plan of the second copy, in another account and region",
  messaging: "the event bus, the queues and their functions",
  api: "the platform API and its functions",
  sandbox: "the sandbox API and its function",
  operations: "administration and the dashboard",
  edge: "hosts, usage plans and web firewall of the APIs",
};

/** Returns the environment's stacks: two of them only exist where a setting asks for them. */
export function partsOf({
  sandboxHost: sandbox,
  secondCopy: backup,
}: {
  readonly sandboxHost?: unknown;
  readonly secondCopy?: unknown;
}): readonly StackPart[] {
  const asked: Readonly<Partial<Record<StackPart, boolean>>> = {
    sandbox: sandbox !== undefined,
    backup: backup !== undefined,
  };
  return stackParts.filter((part) => asked[part] ?? true);
}

export function stackName(environmentName: string, part: StackPart): string {
  return `card-issuing-${environmentName}-${part}`;
}
