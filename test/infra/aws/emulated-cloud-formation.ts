import { load } from "js-yaml";
import type { Answer, Request } from "./emulated-aws.ts";
import type { EmulatedParameters } from "./emulated-parameters.ts";
import type { EmulatedBuckets } from "./emulated-s3.ts";
import { formOf, membersOf, queryAnswer, queryError } from "./query-protocol.ts";
import { type StackTemplate, StackValues } from "./stack-values.ts";

interface ChangeSet {
  readonly id: string;
  readonly template: string;
  readonly isImport: boolean;
  readonly parameters: Readonly<Record<string, string>>;
  readonly changes: readonly {
    readonly Action: string;
    readonly LogicalResourceId: string;
    readonly ResourceType: string;
  }[];
}

/** A stack as it stands. */
export interface EmulatedStack {
  readonly name: string;
  readonly id: string;
  status: string;
  isProtected: boolean;
  template: string | undefined;
  parameters: Readonly<Record<string, string>>;
  outputs: Readonly<Record<string, string>>;
  changedAt: Date;
  changeSet: ChangeSet | undefined;
  failure: { readonly logicalId: string; readonly reason: string } | undefined;
}

export interface EmulatedCloudFormationOptions {
  readonly account: string;
  readonly region: string;
  readonly buckets: EmulatedBuckets;
  readonly parameters: EmulatedParameters;
  readonly outputs?: Readonly<Record<string, string>>;
}

/**
 * Stacks and change sets, each done at once. Of resources only buckets and parameters come into
 * being.
 */
export class EmulatedCloudFormation {
  readonly stacks = new Map<string, EmulatedStack>();
  /** What the next execution for a stack fails with. */
  readonly failures = new Map<string, { readonly logicalId: string; readonly reason: string }>();
  readonly #options: EmulatedCloudFormationOptions;
  #count = 0;

  constructor(options: EmulatedCloudFormationOptions) {
    this.#options = options;
  }

  answer(request: Request): Answer {
    const form = formOf(request);
    const action = form.get("Action") ?? "";
    const name = form.get("StackName") ?? "";
    const stack = this.stacks.get(/stack\/([^/]+)\//.exec(name)?.[1] ?? name);
    if (action === "CreateChangeSet") return this.#createChangeSet(form, name);
    if (stack === undefined) return queryError("ValidationError", `Stack with id ${name} does not exist`);
    switch (action) {
      case "DescribeStacks":
        return queryAnswer(action, { Stacks: [describe(stack)] });
      case "DescribeChangeSet":
        return describeChangeSet(stack);
      case "DeleteChangeSet":
        stack.changeSet = undefined;
        return queryAnswer(action, {});
      case "ExecuteChangeSet":
        this.#execute(stack);
        return queryAnswer(action, {});
      case "GetTemplate":
        return queryAnswer(action, { TemplateBody: stack.template ?? "{}" });
      case "UpdateTerminationProtection":
        stack.isProtected = form.get("EnableTerminationProtection") === "true";
        return queryAnswer(action, { StackId: stack.id });
      case "DescribeStackEvents":
        return queryAnswer(action, { StackEvents: events(stack) });
      case "DeleteStack":
        if (stack.isProtected)
          return queryError(
            "ValidationError",
            `Stack [${stack.name}] cannot be deleted while TerminationProtection is enabled`,
          );
        this.stacks.delete(stack.name);
        return queryAnswer(action, {});
      default:
        return queryError("InvalidAction", `${action} is not emulated`);
    }
  }

  #createChangeSet(form: URLSearchParams, name: string): Answer {
    const body = form.get("TemplateBody");
    // What is short enough is sent as it is, in YAML, and all else as an object of a bucket.
    const template =
      body === null
        ? this.#options.buckets.textAt(form.get("TemplateURL") ?? "")
        : JSON.stringify(load(body));
    if (template === undefined)
      return queryError("ValidationError", `S3 error: there is no ${form.get("TemplateURL")}`);
    const stack = this.stacks.get(name) ?? this.#newStack(name);
    const given = membersOf(form, "Parameters").map(
      ({ ParameterKey = "", ParameterValue = "", UsePreviousValue }) => [
        ParameterKey,
        UsePreviousValue === "true" ? (stack.parameters[ParameterKey] ?? "") : ParameterValue,
      ],
    );
    const parameters = Object.fromEntries(given) as Record<string, string>;
    this.#count += 1;
    const id = `arn:aws:cloudformation:${this.#options.region}:${this.#options.account}:changeSet/${form.get("ChangeSetName")}/${this.#count}`;
    const isImport = form.get("ChangeSetType") === "IMPORT";
    stack.changeSet = { id, template, isImport, parameters, changes: changesOf(stack, template, parameters) };
    return queryAnswer("CreateChangeSet", { Id: id, StackId: stack.id });
  }

  #newStack(name: string): EmulatedStack {
    const stack = {
      name,
      id: `arn:aws:cloudformation:${this.#options.region}:${this.#options.account}:stack/${name}/1`,
      status: "REVIEW_IN_PROGRESS",
      isProtected: false,
      template: undefined,
      parameters: {},
      outputs: {},
      changedAt: new Date(),
      changeSet: undefined,
      failure: undefined,
    };
    this.stacks.set(name, stack);
    return stack;
  }

  #execute(stack: EmulatedStack): void {
    const { changeSet, name } = stack;
    if (changeSet === undefined) throw new Error(`${name} has no change set.`);
    const isFirst = stack.template === undefined;
    stack.changeSet = undefined;
    this.#count += 1;
    stack.changedAt = new Date(Date.now() + this.#count * 1_000);
    stack.failure = this.failures.get(name);
    this.failures.delete(name);
    if (stack.failure !== undefined) {
      stack.status = isFirst ? "ROLLBACK_COMPLETE" : "UPDATE_ROLLBACK_COMPLETE";
      return;
    }
    const values = new StackValues(
      JSON.parse(changeSet.template) as StackTemplate,
      changeSet.parameters,
      this.#options,
    );
    for (const bucket of values.namesOf("AWS::S3::Bucket")) this.#options.buckets.create(bucket);
    for (const { name: parameter, value } of values.parameters()) {
      this.#options.parameters.all.set(parameter, { value, type: "String" });
    }
    stack.template = changeSet.template;
    stack.parameters = changeSet.parameters;
    stack.outputs = { ...values.outputs(), ...matching(values.outputs(), this.#options.outputs) };
    const done = changeSet.isImport ? "IMPORT_COMPLETE" : "UPDATE_COMPLETE";
    stack.status = isFirst ? "CREATE_COMPLETE" : done;
  }
}

function matching(outputs: object, given: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(given).filter(([name]) => name in outputs));
}

function changesOf(stack: EmulatedStack, template: string, parameters: Readonly<Record<string, string>>) {
  const resourcesOf = (text = "{}") => (JSON.parse(text) as Partial<StackTemplate>).Resources ?? {};
  const [before, after] = [resourcesOf(stack.template), resourcesOf(template)];
  const isSame = (id: string) => JSON.stringify(before[id]) === JSON.stringify(after[id]);
  const hasNewParameters = JSON.stringify(stack.parameters) !== JSON.stringify(parameters);
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((id) => hasNewParameters || !isSame(id))
    .map((id) => ({
      Action: !(id in before) ? "Add" : !(id in after) ? "Remove" : "Modify",
      LogicalResourceId: id,
      ResourceType: (after[id] ?? before[id])?.Type ?? "",
    }));
}

function describe(stack: EmulatedStack) {
  return {
    StackId: stack.id,
    StackName: stack.name,
    StackStatus: stack.status,
    CreationTime: stack.changedAt.toISOString(),
    LastUpdatedTime: stack.changedAt.toISOString(),
    EnableTerminationProtection: stack.isProtected,
    Parameters: Object.entries(stack.parameters).map(([ParameterKey, ParameterValue]) => ({
      ParameterKey,
      ParameterValue,
    })),
    Outputs: Object.entries(stack.outputs).map(([OutputKey, OutputValue]) => ({ OutputKey, OutputValue })),
    Tags: [
      { Key: "application", Value: "card-issuing" },
      { Key: "environment", Value: stack.name.split("-")[2] ?? "" },
    ],
  };
}

function describeChangeSet({ id, name, changeSet }: EmulatedStack): Answer {
  if (changeSet === undefined) return queryError("ChangeSetNotFound", "There is no such change set");
  const { changes } = changeSet;
  return queryAnswer("DescribeChangeSet", {
    ChangeSetName: "cdk-deploy-change-set",
    ChangeSetId: changeSet.id,
    StackId: id,
    StackName: name,
    CreationTime: new Date().toISOString(),
    ...(changes.length === 0
      ? {
          Status: "FAILED",
          ExecutionStatus: "UNAVAILABLE",
          StatusReason:
            "The submitted information didn't contain changes. Submit different information to create a change set.",
        }
      : { Status: "CREATE_COMPLETE", ExecutionStatus: "AVAILABLE" }),
    Changes: changes.map((change) => ({ Type: "Resource", ResourceChange: { ...change } })),
  });
}

function events({ id, name, status, changedAt, failure }: EmulatedStack) {
  const event = (logicalId: string, type: string, state: string, reason?: string) => ({
    StackId: id,
    StackName: name,
    EventId: `${logicalId}-${state}-${changedAt.getTime()}`,
    LogicalResourceId: logicalId,
    PhysicalResourceId: logicalId === name ? id : logicalId,
    ResourceType: type,
    Timestamp: changedAt.toISOString(),
    ResourceStatus: state,
    ResourceStatusReason: reason,
  });
  const end = event(name, "AWS::CloudFormation::Stack", status);
  return failure ? [end, event(failure.logicalId, "AWS::Resource", "CREATE_FAILED", failure.reason)] : [end];
}
