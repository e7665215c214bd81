/**
 * What CloudFormation may do in an account, and the most that any role of the platform may do:
 * nobody who deploys is an administrator. docs/pipeline.md says how they get into the account.
 */

/** The permissions boundary of every role: it has no environment, since an account has one. */
export const boundaryName = "card-issuing-boundary";
export const executionPolicyName = "card-issuing-deploy";
export const vaultExecutionPolicyName = "card-issuing-deploy-vault";
const boundaryArn = (account: string) => `arn:aws:iam::${account}:policy/${boundaryName}`;

/** The CDK's bootstrap for the vault's stack, which a role of its own deploys. */
export const vaultQualifier = "vault";
/** Every key of the vault's stack has it. */
export const vaultTag = { key: "part", value: "vault" } as const;

/** New versions of these take over in steps, and their earlier ones stay for a rollback. */
export const steppedFunctions = ["authorizer", "processor-events", "vault"] as const;

interface Statement {
  readonly Sid: string;
  readonly Effect: "Allow" | "Deny";
  readonly Action: readonly string[];
  readonly Resource: string | readonly string[];
  readonly Condition?:
    | Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>
    | undefined;
}
export interface PolicyDocument {
  readonly Version: "2012-10-17";
  readonly Statement: readonly Statement[];
}

/** By CloudFormation's names, without those of IAM and Lambda. */
const servicesOfVault = ["CloudWatch", "CodeDeploy", "DynamoDB", "KMS", "Logs"];
const services = [
  ...servicesOfVault,
  ...["ApiGateway", "ApiGatewayV2", "Backup", "EC2", "ECS", "ElasticLoadBalancingV2", "Events", "Lambda"],
  ...["Route53", "S3", "SNS", "SQS", "SecretsManager", "WAFv2"],
];
/** Where IAM's name is not CloudFormation's in small letters. */
const inIam: Readonly<Record<string, readonly string[]>> = {
  ApiGatewayV2: ["apigateway"],
  Backup: ["backup", "backup-storage"],
  ElasticLoadBalancingV2: ["elasticloadbalancing"],
};
export const toIamPrefixes = (service: string) => inIam[service] ?? [service.toLowerCase()];

/** Services that get a role of the platform. */
const roleTakers = ["apigateway", "backup", "codedeploy", "ecs-tasks", "lambda", "vpc-flow-logs"];

interface Place {
  readonly account: string;
  readonly region: string;
  readonly secondRegion?: { readonly region: string } | undefined;
}

/** What the role may do that deploys all stacks but the vault's. */
export function executionPolicy(place: Place): PolicyDocument {
  const { account } = place;
  const ofVault = { StringEquals: { [`aws:ResourceTag/${vaultTag.key}`]: vaultTag.value } };
  const changes = ["PutKeyPolicy", "ScheduleKeyDeletion", "DisableKey", "CreateGrant", "ReplicateKey"];
  const tags = ["TagResource", "UntagResource"];
  return policy(
    ...onServices(services, place),
    ...onRoles(account, `arn:aws:iam::${account}:role/card-issuing-*`),
    deny("NotTheVaultsFunction", ["lambda:*"], vaultFunctions(place)),
    deny("NotTheVaultsRoles", ["iam:*"], [`arn:aws:iam::${account}:role/card-issuing-*-vault*`]),
    deny("NotTheVaultsTable", ["dynamodb:*"], [`arn:aws:dynamodb:*:${account}:table/card-issuing-*-vault-*`]),
    deny("NotTheVaultsKeys", actions("kms", [...changes, ...tags]), ["*"], ofVault),
    deny("NotTheVaultsCode", ["s3:*"], [`arn:aws:s3:::cdk-${vaultQualifier}-assets-*`]),
  );
}

/** What the role may do that deploys the vault's stack alone. */
export function vaultExecutionPolicy(place: Place): PolicyDocument {
  const { account } = place;
  const code = regions(place).map((one) => `arn:aws:s3:::cdk-${vaultQualifier}-assets-${account}-${one}/*`);
  return policy(
    ...onServices(servicesOfVault, place),
    allow("ItsFunction", ["lambda:*"], vaultFunctions(place)),
    ...onRoles(account, `arn:aws:iam::${account}:role/card-issuing-*-vault*`),
    allow("ItsCode", ["s3:GetObject*"], code),
  );
}

/** What the command itself may do: it hands all that changes resources to the CDK's roles. */
export function pipelinePolicy(place: Place): PolicyDocument {
  const { account, secondRegion } = place;
  const here = (service: string, ...resources: string[]) =>
    resources.flatMap((resource) =>
      regions(place).map((region) => `arn:aws:${service}:${region}:${account}:${resource}`),
    );
  const functions = (...names: string[]) =>
    here("lambda", ...names.map((name) => `function:card-issuing-*-${name}`));
  const stepped = functions(...steppedFunctions);
  const viaParameters = {
    StringEquals: { "kms:ViaService": regions(place).map((region) => `ssm.${region}.amazonaws.com`) },
  };
  return policy(
    allow("TheCdksRoles", ["sts:AssumeRole"], `arn:aws:iam::${account}:role/cdk-*`),
    allow(
      "Parameters",
      ["ssm:GetParameter", "ssm:PutParameter"],
      here("ssm", "parameter/card-issuing/*", "parameter/cdk-bootstrap/*"),
    ),
    allow(
      "Stacks",
      actions("cloudformation", ["DescribeStacks", "GetTemplate", "UpdateTerminationProtection"]),
      here("cloudformation", "stack/card-issuing-*"),
    ),
    allow(
      "Truststore",
      ["s3:ListBucket", "s3:GetObject", "s3:PutObject"],
      "arn:aws:s3:::card-issuing-*truststore*",
    ),
    allow("Administration", ["lambda:InvokeFunction"], functions("operator", "certificates")),
    allow("Quotas", ["lambda:GetAccountSettings", "lambda:GetFunctionConcurrency", "ses:GetAccount"], "*"),
    allow("Trail", actions("cloudtrail", ["DescribeTrails", "GetTrailStatus", "GetEventSelectors"]), "*"),
    allow(
      "EarlierVersions",
      actions("lambda", ["ListVersionsByFunction", "ListAliases", "ListProvisionedConcurrencyConfigs"]),
      stepped,
    ),
    // Only versions match: the function itself has no such name.
    allow(
      "TheirEnd",
      actions("lambda", ["DeleteFunction", "DeleteProvisionedConcurrencyConfig"]),
      stepped.map((one) => `${one}:*`),
    ),
    allow("Sender", ["ses:GetEmailIdentity"], "*"),
    ...(secondRegion
      ? [allow("Replica", ["dynamodb:DescribeTable"], here("dynamodb", "table/card-issuing-*").slice(1))]
      : []),
    allow(
      "FirstTenant",
      ["kms:Encrypt", "kms:Decrypt", "kms:GenerateDataKey"],
      here("kms", "key/*"),
      viaParameters,
    ),
  );
}

/** The most that any role may do: no rights, no code, and no end of what is kept. */
export function boundaryPolicy(): PolicyDocument {
  const kept = ["dynamodb:DeleteTable", "dynamodb:DeleteBackup", "kms:ScheduleKeyDeletion", "kms:DisableKey"];
  const code = ["UpdateFunctionCode", "UpdateFunctionConfiguration", "PublishVersion", "AddPermission"];
  const others = ["ecr:*", "payment-cryptography:*", "ses:SendEmail", "tag:GetResources", "xray:*"];
  const rights = ["kms:PutKeyPolicy", "s3:DeleteBucket*", "s3:PutBucket*", "ec2:*Vpc*", "route53:*"];
  return policy(
    allow("WhatThePlatformUses", [...actionsOn(services), ...others], "*"),
    deny("NeverThis", [...kept, ...actions("lambda", code), ...rights], "*"),
  );
}

function onServices(names: readonly string[], place: Place): Statement[] {
  const global = "route53:*";
  const all = actionsOn(names);
  const requested = place.secondRegion ? regions(place) : place.region;
  return [
    allow(
      "TheirServices",
      all.filter((action) => action !== global),
      "*",
      { StringEquals: { "aws:RequestedRegion": requested } },
    ),
    allow("Everywhere", [...all.filter((action) => action === global), "ssm:GetParameters"], "*"),
    ...(place.secondRegion ? onSecondRegion(place.account) : []),
  ];
}

function actionsOn(names: readonly string[]): string[] {
  return [...new Set(names.flatMap(toIamPrefixes))].map((service) => `${service}:*`);
}

/** Makes the policy that says which region writes, and DynamoDB's role that replicates. */
function onSecondRegion(account: string): Statement[] {
  const changes = ["CreatePolicy", "DeletePolicy", "CreatePolicyVersion", "DeletePolicyVersion", "TagPolicy"];
  const reads = ["GetPolicy", "GetPolicyVersion", "ListPolicyVersions"];
  const replication = { StringEquals: { "iam:AWSServiceName": "replication.dynamodb.amazonaws.com" } };
  return [
    allow(
      "WhoWrites",
      actions("iam", [...changes, ...reads]),
      `arn:aws:iam::${account}:policy/card-issuing-*-writes`,
    ),
    allow("WhoReplicates", ["iam:CreateServiceLinkedRole"], "*", replication),
  ];
}

/** A role is made with the boundary, and keeps it. */
function onRoles(account: string, roles: string): Statement[] {
  const bound = ["CreateRole", "PutRolePolicy", "AttachRolePolicy", "PutRolePermissionsBoundary"];
  const free = [
    ...["GetRole", "GetRolePolicy", "ListRolePolicies", "ListAttachedRolePolicies", "ListRoleTags"],
    ...["DeleteRole", "DeleteRolePolicy", "DetachRolePolicy", "TagRole", "UntagRole"],
    ...["UpdateRole", "UpdateRoleDescription", "UpdateAssumeRolePolicy"],
  ];
  const takers = roleTakers.map((service) => `${service}.amazonaws.com`);
  return [
    allow("RolesWithTheBoundary", actions("iam", bound), roles, {
      StringEquals: { "iam:PermissionsBoundary": boundaryArn(account) },
    }),
    allow("TheirRoles", actions("iam", free), roles),
    allow("RolesOfServices", ["iam:PassRole"], roles, { StringEquals: { "iam:PassedToService": takers } }),
  ];
}

function vaultFunctions(place: Place): string[] {
  return regions(place).flatMap((region) => {
    const name = `arn:aws:lambda:${region}:${place.account}:function:card-issuing-*-vault`;
    return [name, `${name}:*`];
  });
}

function regions({ region, secondRegion }: Place): string[] {
  return secondRegion ? [region, secondRegion.region] : [region];
}

function actions(service: string, names: readonly string[]): string[] {
  return names.map((name) => `${service}:${name}`);
}

function policy(...Statement: readonly Statement[]): PolicyDocument {
  return { Version: "2012-10-17", Statement };
}

type Rest = [actions: string[], resources: string | string[], condition?: Statement["Condition"]];
const allow = (sid: string, ...rest: Rest) => statement("Allow", sid, ...rest);
const deny = (sid: string, ...rest: Rest) => statement("Deny", sid, ...rest);

function statement(Effect: Statement["Effect"], Sid: string, ...[Action, Resource, Condition]: Rest) {
  return { Sid, Effect, Action, Resource, ...(Condition && { Condition }) };
}
