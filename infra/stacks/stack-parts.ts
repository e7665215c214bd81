import { isSecond } from "../constructs/second-region-settings.ts";

/** It is in the second region, and deployed by itself. */
export const secondRegionPart = "second-region";

/**
 * The content of each stack, for its description in CloudFormation. In deployment order: each reads
 * only from earlier ones. A renamed stack is a new, empty one.
 */
export const stackContents = {
  data: "tables, keys, truststore and pepper, which outlive the stack",
  telemetry: "the logs' key and the alarms' topic",
  vault: "card numbers and PINs, with the keys and the function that alone can read them",
  backup: "the plan of the second copy, in another account and region",
  messaging: "the event bus, the queues and their functions",
  api: "the platform API and its functions",
  sandbox: "the sandbox API and its function",
  operations: "administration and the dashboard",
  edge: "hosts, usage plans and web firewall of the APIs",
  listener: "the listener for a card network's messages",
} as const;
export type StackPart = keyof typeof stackContents;

/** What an environment has only if a setting asks for it. */
const askedFor: Readonly<Partial<Record<StackPart, "sandboxHost" | "secondCopy" | "listener">>> = {
  sandbox: "sandboxHost",
  backup: "secondCopy",
  listener: "listener",
};

type Asked = Readonly<Partial<Record<"sandboxHost" | "secondCopy" | "listener", unknown>>>;

export function listParts(settings: Asked): readonly StackPart[] {
  return (Object.keys(stackContents) as StackPart[]).filter((part) => {
    const setting = askedFor[part];
    return setting === undefined || settings[setting] !== undefined;
  });
}

export function stackName(environmentName: string, part: StackPart): string {
  return `card-issuing-${environmentName}-${part}`;
}

/** The environment's folder in the assembly: one for each region that serves. */
export function stageName(settings: { readonly name: string } & Parameters<typeof isSecond>[0]): string {
  return isSecond(settings) ? `${settings.name}-second` : settings.name;
}
