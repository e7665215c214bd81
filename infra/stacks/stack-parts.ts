/** In deployment order: each reads only from earlier ones. A renamed stack is a new, empty one. */
export const stackParts = [
  "data",
  "telemetry",
  "vault",
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
  messaging: "the event bus, the queues and their functions",
  api: "the platform API and its functions",
  sandbox: "the sandbox API and its function",
  operations: "administration and the dashboard",
  edge: "hosts, usage plans and web firewall of the APIs",
};

/** Returns the environment's stacks; without a sandbox host there is no sandbox stack. */
export function partsOf({ sandboxHost }: { readonly sandboxHost?: unknown }): readonly StackPart[] {
  return stackParts.filter((part) => part !== "sandbox" || sandboxHost !== undefined);
}

export function stackName(environmentName: string, part: StackPart): string {
  return `card-issuing-${environmentName}-${part}`;
}
