import type { Assembly } from "../interfaces.ts";
import { isObject } from "../intrinsics.ts";
import { type Grant, grantsOf } from "./policy.ts";
import { readFunctionRoles } from "./roles.ts";

/** A grant by names that a person knows and that are the same in every run. */
export interface NamedGrant {
  /** The folder of the function's code: what is run by two functions of the template is one here. */
  readonly function: string;
  readonly action: string;
  /** The template's name of the resource, such as `IssuingTable/index/by-due`, as the policy has it where the template has none. */
  readonly on: string;
  readonly via?: string;
}

/** `cards: kms:Decrypt on DataKey via dynamodb` */
export function grantText({ function: name, action, on, via }: NamedGrant): string {
  return `${name}: ${action} on ${on}${via === undefined ? "" : ` via ${via}`}`;
}

/** All that the roles of the template's functions allow, each once. */
export function namedGrants(assembly: Assembly): NamedGrant[] {
  const grants = readFunctionRoles(assembly).flatMap(({ functionName, statements }) =>
    grantsOf(statements).map((grant) => nameGrant(assembly, functionName, grant)),
  );
  return [...new Map(grants.map((grant) => [grantText(grant), grant])).values()];
}

export function nameGrant(assembly: Assembly, functionName: string, grant: Grant): NamedGrant {
  const { action, resource, via } = grant;
  const on = nameOf(resource, assembly);
  return { function: folderOf(functionName, assembly), action, on, ...(via !== undefined && { via }) };
}

function folderOf(functionName: string, assembly: Assembly): string {
  const fn = assembly
    .ofType("AWS::Lambda::Function")
    .find(({ physicalName }) => physicalName === functionName);
  const environment = fn?.properties.Environment;
  const variables = isObject(environment) && isObject(environment.Variables) ? environment.Variables : {};
  return String(variables.POWERTOOLS_SERVICE_NAME ?? functionName);
}

function nameOf(resource: string, { resources, ofType }: Assembly): string {
  const owner = resources.find(
    ({ arn }) => arn !== "" && (resource === arn || resource.startsWith(`${arn}/`)),
  );
  if (owner !== undefined) {
    const part = resource.slice(owner.arn.length).replace(/^\/stream\/.*$/, "/stream");
    return `${withoutHash(owner.logicalId)}${part}`;
  }
  // Of a usage plan there is no ARN in the template, but paths below it.
  return ofType("AWS::ApiGateway::UsagePlan").reduce(
    (text, { physicalName, logicalId }) => text.replace(`/${physicalName}/`, `/${withoutHash(logicalId)}/`),
    resource,
  );
}

/** CDK ends a logical id with a hash of the construct's path. */
function withoutHash(logicalId: string): string {
  return logicalId.replace(/[0-9A-F]{8}$/, "");
}
