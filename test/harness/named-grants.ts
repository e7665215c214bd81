import type { UsedGrant } from "../../infra/local/access/access-control.ts";
import { type Grant, toGrant } from "../../infra/local/access/policy.ts";
import { readFunctionRoles } from "../../infra/local/access/read-policies.ts";
import { type Assembly, isObject } from "../../infra/local/template.ts";

export interface NamedGrant {
  /** The folder of the function's code. Two functions of the template may share it. */
  readonly function: string;
  readonly action: string;
  /**
   * The resource's name in the template, such as `IssuingTable/index/by-due`, or as in the policy.
   */
  readonly on: string;
  readonly via?: string;
}

/** Such as `cards: kms:Decrypt on DataKey via dynamodb`. */
export function grantText({ function: name, action, on, via }: NamedGrant): string {
  return `${name}: ${action} on ${on}${via === undefined ? "" : ` via ${via}`}`;
}

export function namedGrants(assembly: Assembly): NamedGrant[] {
  const grants = readFunctionRoles(assembly).flatMap(({ functionName, statements }) =>
    statements
      .filter(({ Effect }) => Effect === "Allow")
      .flatMap((statement) =>
        statement.Action.flatMap((action) =>
          statement.Resource.map((resource) => toGrant(statement, action, resource)),
        ),
      )
      .map((grant) => nameGrant(assembly, { functionName, ...grant })),
  );
  return [...new Map(grants.map((grant) => [grantText(grant), grant])).values()];
}

/** A line of the file in LOCAL_USED_GRANTS: what the platform wrote, or a text already. */
export function readUsedGrant(assembly: Assembly, line: string): string {
  return line.startsWith("{") ? grantText(nameGrant(assembly, JSON.parse(line) as UsedGrant)) : line;
}

export function nameGrant(assembly: Assembly, { functionName, ...grant }: UsedGrant): NamedGrant {
  const { action, resource, via }: Grant = grant;
  const on = nameResource(resource, assembly);
  return { function: readFolder(functionName, assembly), action, on, ...(via !== undefined && { via }) };
}

function readFolder(functionName: string, assembly: Assembly): string {
  const fn = assembly
    .ofType("AWS::Lambda::Function")
    .find(({ physicalName }) => physicalName === functionName);
  const environment = fn?.properties.Environment;
  const variables = isObject(environment) && isObject(environment.Variables) ? environment.Variables : {};
  return String(variables.SERVICE_NAME ?? functionName);
}

function nameResource(resource: string, { resources, ofType }: Assembly): string {
  const owner = resources.find(
    ({ arn }) => arn !== "" && (resource === arn || resource.startsWith(`${arn}/`)),
  );
  if (owner !== undefined) {
    const part = resource.slice(owner.arn.length).replace(/^\/stream\/.*$/, "/stream");
    return `${withoutHash(owner.logicalId)}${part}`;
  }
  return ofType("AWS::ApiGateway::UsagePlan").reduce(
    (text, { physicalName, logicalId }) => text.replace(`/${physicalName}/`, `/${withoutHash(logicalId)}/`),
    resource,
  );
}

/** CDK appends a hash of the construct's path to a logical id. */
function withoutHash(logicalId: string): string {
  return logicalId.replace(/[0-9A-F]{8}$/, "");
}
