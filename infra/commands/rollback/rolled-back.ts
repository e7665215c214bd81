import * as z from "zod";

const Template = z.looseObject({
  Resources: z.record(z.string(), z.looseObject({ Type: z.string(), Properties: z.unknown() })),
});
const AliasProperties = z.looseObject({
  Name: z.string(),
  FunctionName: z.object({ Ref: z.string() }),
});
const FunctionProperties = z.looseObject({ FunctionName: z.string() });

export interface DeployedAlias {
  readonly logicalId: string;
  readonly functionName: string;
  readonly name: string;
  /** False after a rollback, until the next deployment. */
  readonly hasSteps: boolean;
}

/** The aliases of a function whose versions take over in steps: it has no others. */
export function aliasesIn(template: unknown, functionName: string): DeployedAlias[] {
  const { Resources } = Template.parse(template);
  return Object.entries(Resources).flatMap(([logicalId, { Type, Properties, UpdatePolicy }]) => {
    if (Type !== "AWS::Lambda::Alias") return [];
    const { Name: name, FunctionName } = AliasProperties.parse(Properties);
    const owner = FunctionProperties.safeParse(Resources[FunctionName.Ref]?.Properties).data;
    return owner?.FunctionName === functionName
      ? [{ logicalId, functionName, name, hasSteps: UpdatePolicy !== undefined }]
      : [];
  });
}

/**
 * The deployed template with the aliases at these versions, at once: CloudFormation knows what they
 * point at, so the next deployment goes on from there, in steps again.
 */
export function rolledBack(template: unknown, versions: ReadonlyMap<string, string>): unknown {
  const { Resources, ...others } = Template.parse(template);
  const changed = Object.entries(Resources).map(([logicalId, resource]) => {
    const FunctionVersion = versions.get(logicalId);
    if (FunctionVersion === undefined) return [logicalId, resource] as const;
    const { UpdatePolicy: _, Properties, ...rest } = resource;
    return [logicalId, { ...rest, Properties: { ...(Properties as object), FunctionVersion } }] as const;
  });
  return { ...others, Resources: Object.fromEntries(changed) };
}

/** The newest of the published versions before the one in use. */
export function versionBefore(published: readonly string[], current: string): string | undefined {
  const before = published.map(Number).filter((version) => version < Number(current));
  return before.length === 0 ? undefined : String(Math.max(...before));
}
