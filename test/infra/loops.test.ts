import { describe, expect, test } from "vitest";
import { environmentNames } from "../../infra/environments.ts";
import { resolved, resourcesOf, type Synthesized, synthesized } from "./synthesized.ts";

interface Attribute {
  readonly "Fn::GetAtt"?: [string, string];
}

interface Statement {
  readonly Action: string | string[];
  readonly Resource: unknown;
}

describe.each(environmentNames)("functions of %s that cause their own invocations", (name) => {
  const templates = synthesized(name);

  test("are those that Lambda is told not to stop after 16", () => {
    const allowed = resourcesOf(templates, "AWS::Lambda::Function")
      .filter(([, { Properties }]) => Properties.RecursiveLoop !== undefined)
      .map(([id, { Properties }]) => `${id} ${Properties.RecursiveLoop}`);
    expect(allowed.toSorted()).toEqual(loops(templates).map((id) => `${id} Allow`));
  });

  test("there are some", () => {
    expect(loops(templates).map((id) => id.replace(/Function[0-9A-F]{8}$/, ""))).toEqual([
      "AlertDelivery",
      "BackgroundJobs",
      "Evidence",
      "Files",
      "SlowCallbacks",
      "WebhookFanout",
    ]);
  });
});

/** The functions from which a way leads back to them: by what they may send to, and invoke. */
function loops(templates: Synthesized): string[] {
  const next = edges(templates);
  const reachable = (from: string): Set<string> => {
    const found = new Set<string>();
    const open = [...(next.get(from) ?? [])];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (found.has(at)) continue;
      found.add(at);
      open.push(...(next.get(at) ?? []));
    }
    return found;
  };
  const functions = resourcesOf(templates, "AWS::Lambda::Function").map(([id]) => id);
  return functions.filter((id) => reachable(id).has(id)).toSorted();
}

/** AWS follows messages of SQS and SNS, S3's own notifications and direct invocations. */
const followed = /^(sqs:SendMessage|sns:Publish|lambda:Invoke|sqs:\*|lambda:\*|\*)/;

function edges(templates: Synthesized): Map<string, string[]> {
  const found = new Map<string, string[]>();
  const add = (from: string, to: string) => found.set(from, [...(found.get(from) ?? []), to]);
  const functions = resourcesOf(templates, "AWS::Lambda::Function");
  const byRole = new Map(functions.map(([id, { Properties }]) => [idOf(Properties.Role), id]));
  const byName = new Map(functions.map(([id, { Properties }]) => [Properties.FunctionName as string, id]));
  for (const [, { Properties }] of resourcesOf(templates, "AWS::IAM::Policy")) {
    const { Roles, PolicyDocument } = resolved(templates, Properties) as {
      Roles: { Ref: string }[];
      PolicyDocument: { Statement: Statement[] };
    };
    const senders = Roles.flatMap(({ Ref }) => byRole.get(Ref) ?? []);
    for (const { Action, Resource } of PolicyDocument.Statement) {
      if (![Action].flat().some((action) => followed.test(action))) continue;
      for (const resource of [Resource].flat()) {
        for (const sender of senders) for (const to of targets(resource, byName)) add(sender, to);
      }
    }
  }
  for (const [, { Properties }] of resourcesOf(templates, "AWS::Lambda::EventSourceMapping")) {
    const { EventSourceArn, FunctionName } = resolved(templates, Properties) as Record<string, Attribute>;
    add(idOf(EventSourceArn), idOf(FunctionName));
  }
  return found;
}

function idOf(value: unknown): string {
  const { Ref, "Fn::GetAtt": attribute } = value as Attribute & { Ref?: string };
  return attribute?.[0] ?? Ref ?? JSON.stringify(value);
}

/** A queue, or the function whose name the ARN ends with. */
function targets(resource: unknown, byName: ReadonlyMap<string, string>): string[] {
  const text = JSON.stringify(resource);
  const named = [...byName].filter(([name]) => new RegExp(`:function:${name}(:|"|$)`).test(text));
  return [idOf(resource), ...named.map(([, id]) => id)];
}
