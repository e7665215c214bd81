import { expect } from "vitest";
import { resolved, resource, resourcesOf, type Synthesized } from "./synthesized.ts";

/** A role's permissions as sentences: `dynamodb:Query on IssuingTable/index/by-due`. */
export function permissionsOfRole(templates: Synthesized, roleId: string, logId: string): string[] {
  const [, role] = resource(templates, "AWS::IAM::Role", roleId);
  expect(role.Properties.ManagedPolicyArns).toBeUndefined();
  expect(role.Properties.Policies).toBeUndefined();

  const resourceName = (resource: unknown): string => {
    if (typeof resource === "string") return withoutAddress(resource);
    const { "Fn::Join": join, "Fn::GetAtt": attribute, Ref } = resource as Intrinsic;
    if (join) return join[1].map(resourceName).join("");
    const id = attribute?.[0] ?? Ref ?? "";
    if (id === logId) return "own log";
    return id.replace(/[0-9A-F]{8}$/, "") + (attribute?.[1] === "StreamArn" ? " stream" : "");
  };
  const sentences = resourcesOf(templates, "AWS::IAM::Policy")
    .map(([, { Properties }]) => resolved(templates, Properties) as PolicyProperties)
    .filter(({ Roles }) => Roles.some(({ Ref }) => Ref === roleId))
    .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
    .flatMap(({ Effect, Action, Resource, Condition }) => {
      expect(Effect).toBe("Allow");
      const via = Condition?.StringEquals?.["kms:ViaService"]?.split(".")[0];
      const partition = Condition?.["ForAllValues:StringLike"]?.["dynamodb:LeadingKeys"];
      const only = [partition ?? []].flat().map((each) => ` in ${each}`);
      return [Action].flat().flatMap((action) =>
        [Resource].flat().flatMap((resource) => {
          const sentence = `${action} on ${resourceName(resource)}${via ? ` via ${via}` : ""}`;
          return only.length > 0 ? only.map((each) => sentence + each) : [sentence];
        }),
      );
    });
  return [...new Set(sentences)].toSorted();
}

/**
 * The address of what is not the stack's own, which is another in each environment, by what it is.
 */
function withoutAddress(name: string): string {
  return name
    .replace(/^arn:.*:identity\/.*$/, "the sender's domain")
    .replace(/^arn:.*:function:card-issuing-\w+-vault:(\w+)$/, "the vault as $1")
    .replace(/^arn:.*:function:card-issuing-\w+-processor-events:live$/, "processor-events");
}

interface Intrinsic {
  readonly "Fn::Join"?: [string, unknown[]];
  readonly "Fn::GetAtt"?: [string, string];
  readonly Ref?: string;
}

interface PolicyProperties {
  readonly Roles: Intrinsic[];
  readonly PolicyDocument: { readonly Statement: Statement[] };
}

interface Statement {
  readonly Effect: string;
  readonly Action: string | string[];
  readonly Resource: unknown;
  readonly Condition?: {
    readonly StringEquals?: Record<string, string>;
    readonly "ForAllValues:StringLike"?: Record<string, string[]>;
  };
}
