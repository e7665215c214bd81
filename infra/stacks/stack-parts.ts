/**
 * The stacks of an environment, in the order of a deployment: each reads only from those before it. A renamed stack would
 * be a new, empty one.
 */
export const stackParts = ["data", "telemetry", "messaging", "api", "sandbox", "operations", "edge"] as const;
export type StackPart = (typeof stackParts)[number];

/** What each stack holds, for its description in CloudFormation. */
export const stackContents: Readonly<Record<StackPart, string>> = {
  data: "tables, keys, truststore and pepper, which are kept",
  telemetry: "the key of the logs, the topic of the alarms",
  messaging: "the event bus, queues, and the functions behind them",
  api: "the platform API and its functions",
  sandbox: "the sandbox API and its function",
  operations: "administration and the dashboard",
  edge: "hosts, usage plans and the web firewall in front of the APIs",
};

/** The stacks that an environment has: without a sandbox host there is no sandbox. */
export function partsOf({ sandboxHost }: { readonly sandboxHost?: unknown }): readonly StackPart[] {
  return stackParts.filter((part) => part !== "sandbox" || sandboxHost !== undefined);
}

export function stackName(environmentName: string, part: StackPart): string {
  return `card-issuing-${environmentName}-${part}`;
}
