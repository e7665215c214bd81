/**
 * What CloudFormation may do in an account, and the most that any role of the platform may do:
 * nobody who deploys is an administrator. docs/pipeline.md says how they get into the account.
 */

/** The permissions boundary of every role: it has no environment, since an account has one. */
export const boundaryName = "card-issuing-boundary";
export const executionPolicyName = "card-issuing-deploy";
export const vaultExecutionPolicyName = "card-issuing-deploy-vault";
export const boundaryOf = (account: string) => `arn:aws:iam::${account}:policy/${boundaryName}`;

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
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
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
export const prefixesOf = (service: string) => inIam[service] ?? [service.toLowerCase()];

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
  const deny = (Sid: string, Action: string[], Resource: string[], more: object = {}): Statement => ({
    Sid,
    Effect: "Deny",
    Action,
    Resource,
    ...more,
  });
  const ofVault = { StringEquals: { [`aws:ResourceTag/${vaultTag.key}`]: vaultTag.value } };
  const changes = ["PutKeyPolicy", "ScheduleKeyDeletion", "DisableKey", "CreateGrant", "ReplicateKey"];
  const tags = ["TagResource", "UntagResource"];
  return policy([
    ...onServices(services, place),
    ...onRoles(account, `arn:aws:iam::${account}:role/card-issuing-*`),
    deny("NotTheVaultsFunction", ["lambda:*"], vaultFunctions(place)),
    deny("NotTheVaultsRoles", ["iam:*"], [`arn:aws:iam::${account}:role/card-issuing-*-vault*`]),
    deny("NotTheVaultsTable", ["dynamodb:*"], [`arn:aws:dynamodb:*:${account}:table/card-issuing-*-vault-*`]),
    deny(
      "NotTheVaultsKeys",
      [...changes, ...tags].map((action) => `kms:${action}`),
      ["*"],
      {
        Condition: ofVault,
      },
    ),
    deny("NotTheVaultsCode", ["s3:*"], [`arn:aws:s3:::cdk-${vaultQualifier}-assets-*`]),
  ]);
}

/** What the role may do that deploys the vault's stack alone. */
export function vaultExecutionPolicy(place: Place): PolicyDocument {
  const { account } = place;
  return policy([
    ...onServices(servicesOfVault, place),
    { Sid: "ItsFunction", Effect: "Allow", Action: ["lambda:*"], Resource: vaultFunctions(place) },
    ...onRoles(account, `arn:aws:iam::${account}:role/card-issuing-*-vault*`),
    {
      Sid: "ItsCode",
      Effect: "Allow",
      Action: ["s3:GetObject*"],
      Resource: regionsOf(place).map(
        (one) => `arn:aws:s3:::cdk-${vaultQualifier}-assets-${account}-${one}/*`,
      ),
    },
  ]);
}

/** What the command itself may do: it hands all that changes resources to the CDK's roles. */
export function pipelinePolicy(place: Place): PolicyDocument {
  const { account, secondRegion } = place;
  const regions = regionsOf(place);
  const here = (service: string, resource: string) =>
    regions.map((region) => `arn:aws:${service}:${region}:${account}:${resource}`);
  const parameters = ["card-issuing/*", "cdk-bootstrap/*"].flatMap((name) =>
    here("ssm", `parameter/${name}`),
  );
  const functions = ["operator", "certificates"].flatMap((name) =>
    here("lambda", `function:card-issuing-*-${name}`),
  );
  const stepped = steppedFunctions.flatMap((name) => here("lambda", `function:card-issuing-*-${name}`));
  const asks = ["ListVersionsByFunction", "ListAliases", "ListProvisionedConcurrencyConfigs"];
  const ends = ["DeleteFunction", "DeleteProvisionedConcurrencyConfig"];
  const viaParameters = {
    StringEquals: { "kms:ViaService": regions.map((region) => `ssm.${region}.amazonaws.com`) },
  };
  return policy([
    allow("TheCdksRoles", ["sts:AssumeRole"], `arn:aws:iam::${account}:role/cdk-*`),
    allow("Parameters", ["ssm:GetParameter", "ssm:PutParameter"], parameters),
    allow(
      "Stacks",
      ["DescribeStacks", "GetTemplate", "UpdateTerminationProtection"].map((one) => `cloudformation:${one}`),
      here("cloudformation", "stack/card-issuing-*"),
    ),
    allow(
      "Truststore",
      ["s3:ListBucket", "s3:GetObject", "s3:PutObject"],
      "arn:aws:s3:::card-issuing-*truststore*",
    ),
    allow("Administration", ["lambda:InvokeFunction"], functions),
    allow("Quotas", ["lambda:GetAccountSettings", "lambda:GetFunctionConcurrency", "ses:GetAccount"], "*"),
    allow(
      "Trail",
      ["DescribeTrails", "GetTrailStatus", "GetEventSelectors"].map((one) => `cloudtrail:${one}`),
      "*",
    ),
    allow(
      "EarlierVersions",
      asks.map((one) => `lambda:${one}`),
      stepped,
    ),
    // Only versions match: the function itself has no such name.
    allow(
      "TheirEnd",
      ends.map((one) => `lambda:${one}`),
      stepped.map((one) => `${one}:*`),
    ),
    allow("Sender", ["ses:GetEmailIdentity"], "*"),
    ...(secondRegion
      ? [allow("Replica", ["dynamodb:DescribeTable"], here("dynamodb", "table/card-issuing-*").slice(1))]
      : []),
    allow("FirstTenant", ["kms:Encrypt", "kms:Decrypt", "kms:GenerateDataKey"], here("kms", "key/*"), {
      Condition: viaParameters,
    }),
  ]);
}

function allow(Sid: string, Action: string[], Resource: string | string[], more: object = {}): Statement {
  return { Sid, Effect: "Allow", Action, Resource, ...more };
}

/** The most that any role may do: no rights, no code, and no end of what is kept. */
export function boundaryPolicy(): PolicyDocument {
  const kept = ["dynamodb:DeleteTable", "dynamodb:DeleteBackup", "kms:ScheduleKeyDeletion", "kms:DisableKey"];
  const code = ["UpdateFunctionCode", "UpdateFunctionConfiguration", "PublishVersion", "AddPermission"];
  return policy([
    {
      Sid: "WhatThePlatformUses",
      Effect: "Allow",
      Action: [
        ...[...new Set(services.flatMap(prefixesOf))].map((service) => `${service}:*`),
        ...["ecr:*", "payment-cryptography:*", "ses:SendEmail", "tag:GetResources", "xray:*"],
      ],
      Resource: "*",
    },
    {
      Sid: "NeverThis",
      Effect: "Deny",
      Action: [
        ...kept,
        ...code.map((action) => `lambda:${action}`),
        ...["kms:PutKeyPolicy", "s3:DeleteBucket*", "s3:PutBucket*", "ec2:*Vpc*", "route53:*"],
      ],
      Resource: "*",
    },
  ]);
}

function onServices(names: readonly string[], { account, region, secondRegion }: Place): Statement[] {
  const actions = [...new Set(names.flatMap(prefixesOf))].map((service) => `${service}:*`);
  const here = actions.filter((action) => action !== "route53:*");
  const anywhere = [...actions.filter((action) => action === "route53:*"), "ssm:GetParameters"];
  return [
    {
      Sid: "TheirServices",
      Effect: "Allow",
      Action: here,
      Resource: "*",
      Condition: {
        StringEquals: { "aws:RequestedRegion": secondRegion ? [region, secondRegion.region] : region },
      },
    },
    { Sid: "Everywhere", Effect: "Allow", Action: anywhere, Resource: "*" },
    ...(secondRegion ? onSecondRegion(account) : []),
  ];
}

/** Makes the policy that says which region writes, and DynamoDB's role that replicates. */
function onSecondRegion(account: string): Statement[] {
  const changes = ["CreatePolicy", "DeletePolicy", "CreatePolicyVersion", "DeletePolicyVersion", "TagPolicy"];
  const reads = ["GetPolicy", "GetPolicyVersion", "ListPolicyVersions"];
  return [
    {
      Sid: "WhoWrites",
      Effect: "Allow",
      Action: [...changes, ...reads].map((action) => `iam:${action}`),
      Resource: `arn:aws:iam::${account}:policy/card-issuing-*-writes`,
    },
    {
      Sid: "WhoReplicates",
      Effect: "Allow",
      Action: ["iam:CreateServiceLinkedRole"],
      Resource: "*",
      Condition: { StringEquals: { "iam:AWSServiceName": "replication.dynamodb.amazonaws.com" } },
    },
  ];
}

/** A role is made with the boundary, and keeps it. */
function onRoles(account: string, Resource: string): Statement[] {
  const bound = ["CreateRole", "PutRolePolicy", "AttachRolePolicy", "PutRolePermissionsBoundary"];
  const free = [
    ...["GetRole", "GetRolePolicy", "ListRolePolicies", "ListAttachedRolePolicies", "ListRoleTags"],
    ...["DeleteRole", "DeleteRolePolicy", "DetachRolePolicy", "TagRole", "UntagRole"],
    ...["UpdateRole", "UpdateRoleDescription", "UpdateAssumeRolePolicy"],
  ];
  const ofIam = (actions: readonly string[]) => actions.map((action) => `iam:${action}`);
  return [
    {
      Sid: "RolesWithTheBoundary",
      Effect: "Allow",
      Action: ofIam(bound),
      Resource,
      Condition: { StringEquals: { "iam:PermissionsBoundary": boundaryOf(account) } },
    },
    { Sid: "TheirRoles", Effect: "Allow", Action: ofIam(free), Resource },
    {
      Sid: "RolesOfServices",
      Effect: "Allow",
      Action: ["iam:PassRole"],
      Resource,
      Condition: {
        StringEquals: { "iam:PassedToService": roleTakers.map((service) => `${service}.amazonaws.com`) },
      },
    },
  ];
}

function vaultFunctions(place: Place): string[] {
  return regionsOf(place).flatMap((region) => {
    const name = `arn:aws:lambda:${region}:${place.account}:function:card-issuing-*-vault`;
    return [name, `${name}:*`];
  });
}

function regionsOf({ region, secondRegion }: Place): string[] {
  return secondRegion ? [region, secondRegion.region] : [region];
}

function policy(Statement: readonly Statement[]): PolicyDocument {
  return { Version: "2012-10-17", Statement };
}
