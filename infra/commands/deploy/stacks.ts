import { existsSync } from "node:fs";
import path from "node:path";
import {
  CloudFormationClient,
  DescribeStacksCommand,
  GetTemplateCommand,
  type Stack,
  UpdateTerminationProtectionCommand,
} from "@aws-sdk/client-cloudformation";
import { CloudAssembly } from "aws-cdk-lib/cx-api";
import { keptChanges, keptResources } from "./kept-resources.ts";

export interface AssembledStack {
  /** Such as `staging/data`. */
  readonly displayName: string;
  readonly stackName: string;
  readonly template: unknown;
  readonly bootstrap: { readonly version: number; readonly parameter: string } | undefined;
}

/** By display name. Throws if the directory has no assembly. */
export function readStacks(directory: string): ReadonlyMap<string, AssembledStack> {
  if (!existsSync(path.join(directory, "manifest.json"))) {
    throw new Error(`${directory} contains no assembly. Write one with npm run synth.`);
  }
  const stacks = new CloudAssembly(directory).stacksRecursively.map((stack): AssembledStack => {
    const { hierarchicalId: displayName, stackName, template } = stack;
    const { requiresBootstrapStackVersion: version, bootstrapStackVersionSsmParameter: parameter } = stack;
    const bootstrap = version === undefined || parameter === undefined ? undefined : { version, parameter };
    return { displayName, stackName, template, bootstrap };
  });
  return new Map(stacks.map((stack) => [stack.displayName, stack]));
}

export interface DeployedStack {
  readonly status: string;
  readonly reason: string | undefined;
  readonly isProtected: boolean;
  /** Identifies the last change. */
  readonly changedAt: string;
  readonly outputs: Readonly<Record<string, string>>;
  /** Whether it is there, and no failed creation. */
  readonly isMade: boolean;
  /** Names of those that it has values of. */
  readonly parameters: ReadonlySet<string>;
}

export class DeployedStacks {
  readonly #cloudFormation: CloudFormationClient;

  constructor(region: string) {
    this.#cloudFormation = new CloudFormationClient({ region });
  }

  async find(StackName: string): Promise<DeployedStack | undefined> {
    const answer = await this.#cloudFormation
      .send(new DescribeStacksCommand({ StackName }))
      .catch((error: unknown) => {
        if (
          error instanceof Error &&
          error.name === "ValidationError" &&
          /does not exist/.test(error.message)
        )
          return undefined;
        throw error;
      });
    const stack = answer?.Stacks?.[0];
    return stack && toDeployed(stack);
  }

  /** Throws an Error with what to do where it cannot be deployed as it stands. */
  async findIdle(stackName: string): Promise<DeployedStack | undefined> {
    const stack = await this.find(stackName);
    const advice = stack && adviceFor(stackName, stack);
    if (advice !== undefined) throw new Error(advice);
    return stack;
  }

  /**
   * Checks that no other deployment runs and that this one loses no data. Allows the deletion of a
   * failed first deployment, which is empty.
   */
  async prepare({ stackName, template }: AssembledStack, accepted: ReadonlySet<string>): Promise<void> {
    const stack = await this.findIdle(stackName);
    if (stack === undefined) return;
    if (isFailedCreation(stack)) {
      // The CDK tool deletes the failed stack, so its protection must go. Its tables and keys are
      // retained.
      if (stack.isProtected) {
        await this.#cloudFormation.send(
          new UpdateTerminationProtectionCommand({
            StackName: stackName,
            EnableTerminationProtection: false,
          }),
        );
      }
      return;
    }
    const deployed = await this.template(stackName);
    if (deployed === undefined) return;
    const changes = keptChanges(keptResources(deployed), keptResources(template));
    const rejected = changes.filter(({ logicalId }) => !accepted.has(logicalId));
    if (rejected.length > 0) {
      const lines = rejected.map(({ logicalId, what }) => `  ${logicalId}: ${what}\n`);
      throw new Error(
        `${stackName} has resources that this deployment would lose or cannot change:\n${lines.join("")}If you intend this: --accept <logical id>. See docs/deploy.md for the consequences.`,
      );
    }
  }

  async template(StackName: string): Promise<unknown> {
    const { TemplateBody } = await this.#cloudFormation.send(
      new GetTemplateCommand({ StackName, TemplateStage: "Original" }),
    );
    return TemplateBody === undefined ? undefined : (JSON.parse(TemplateBody) as unknown);
  }
}

export function adviceAfterFailure(stackName: string, stack: DeployedStack | undefined, again: string) {
  const repeat = `Fix what CloudFormation reports above, then repeat the command to continue:\n  ${again}`;
  if (stack === undefined) return `${stackName} was not created. ${repeat}`;
  if (isFailedCreation(stack))
    return `${stackName} was not created, and none of its resources are in use (${stack.status}). ${repeat}`;
  return (
    adviceFor(stackName, stack) ??
    `${stackName} is unchanged (${stack.status}) and continues to serve. ${repeat}`
  );
}

/** The CDK has told CloudFormation all of it, or nothing yet. */
export function adviceAfterInterrupt(stackName: string, again: string): string {
  return `${stackName}: CloudFormation ends by itself what it has begun. After that, repeat the command to continue:\n  ${again}`;
}

function adviceFor(stackName: string, { status, reason }: DeployedStack): string | undefined {
  const state = `${stackName} is ${status}${reason === undefined ? "" : ` (${reason})`}`;
  if (status === "REVIEW_IN_PROGRESS" || status.endsWith("_CLEANUP_IN_PROGRESS")) return undefined;
  if (status.endsWith("_IN_PROGRESS"))
    return `${state}: another deployment is running. Wait for its end, then repeat the command.`;
  if (status === "UPDATE_ROLLBACK_FAILED") {
    return `${state}: CloudFormation could not roll it back. Fix what its events report, run\n  aws cloudformation continue-update-rollback --stack-name ${stackName}\nand repeat the command.`;
  }
  if (status === "DELETE_FAILED") return `${state}: finish its deletion first, as docs/deploy.md describes.`;
  return undefined;
}

function isFailedCreation({ status }: Pick<DeployedStack, "status">): boolean {
  return ["ROLLBACK_COMPLETE", "ROLLBACK_FAILED", "CREATE_FAILED", "REVIEW_IN_PROGRESS"].includes(status);
}

function toDeployed(stack: Stack): DeployedStack {
  const status = stack.StackStatus ?? "unknown";
  return {
    status,
    isMade: !isFailedCreation({ status }),
    parameters: new Set((stack.Parameters ?? []).map(({ ParameterKey = "" }) => ParameterKey)),
    reason: stack.StackStatusReason,
    isProtected: stack.EnableTerminationProtection ?? false,
    outputs: Object.fromEntries(
      (stack.Outputs ?? []).map(({ OutputKey = "", OutputValue = "" }) => [OutputKey, OutputValue]),
    ),
    changedAt: String((stack.LastUpdatedTime ?? stack.CreationTime)?.getTime()),
  };
}
