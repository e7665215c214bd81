import type { AccessRequest } from "./policy.ts";

export interface ServiceCall {
  readonly method: string;
  readonly path: string;
  /** The `X-Amz-Target` header, which names the operation in JSON protocols. */
  readonly target: string | undefined;
  /** S3 has an address of its own. */
  readonly service?: "s3";
  /** The `If-Match` header. */
  readonly ifMatch?: string | undefined;
  /** Whether the object that is put gets a lock of its own. */
  readonly isLocked?: boolean;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The template's resources, as far as rights depend on them. */
export interface Resources {
  readonly region: string;
  readonly account: string;
  /** By type and name, and by type and ARN, such as `AWS::SQS::Queue work`. */
  readonly arns: ReadonlyMap<string, string>;
  /** A customer's key, by the ARN of what is encrypted with it. */
  readonly keys: ReadonlyMap<string, string>;
}

type Body = ServiceCall["body"];

/** Empty for an unknown call, which is then denied. */
export function requestedBy(call: ServiceCall, resources: Resources): AccessRequest[] {
  const [service = "", operation = ""] = (call.target ?? "").split(".");
  switch (service) {
    case "DynamoDB_20120810":
      return onTables(operation, call.body, resources);
    case "AmazonSQS": {
      const queue = String(call.body.QueueUrl ?? call.body.QueueName ?? "")
        .split("/")
        .at(-1);
      const action = `sqs:${operation.replace(/Batch$/, "")}`;
      return [toRequest(action, toArn("AWS::SQS::Queue", queue, resources))];
    }
    case "AWSEvents":
      return operation === "PutEvents" ? onBuses(call.body, resources) : [];
    case "secretsmanager": {
      const secret = toArn("AWS::SecretsManager::Secret", call.body.SecretId, resources);
      const action = `secretsmanager:${operation}`;
      return [toRequest(action, secret), ...decryptRequests("secretsmanager", secret, resources)];
    }
    case "TrentService":
      return [onKey(operation, call.body, resources)];
    default:
      return withoutTarget(call, resources);
  }
}

export function toRequest(
  action: string,
  resource: string,
  context: AccessRequest["context"] = {},
): AccessRequest {
  return { action, resource, context };
}

function onTables(operation: string, body: Body, resources: Resources): AccessRequest[] {
  return touched(operation, body).flatMap(({ action, table, index, partition }) => {
    const tableArn = toArn("AWS::DynamoDB::GlobalTable", table, resources);
    const resource = index === undefined ? tableArn : `${tableArn}/index/${index}`;
    const request = { ...toRequest(`dynamodb:${action}`, resource), partition };
    return [request, ...decryptRequests("dynamodb", tableArn, resources)];
  });
}

/** A service decrypts with a customer's key in the caller's name. */
export function decryptRequests(service: string, owner: string, resources: Resources): AccessRequest[] {
  return keyRequests("kms:Decrypt", service, owner, resources);
}

function keyRequests(action: string, service: string, owner: string, resources: Resources): AccessRequest[] {
  const key = resources.keys.get(owner);
  if (key === undefined) return [];
  const viaService = { "kms:ViaService": `${service}.${resources.region}.amazonaws.com` };
  return [toRequest(action, key, viaService)];
}

const objectActions: Readonly<Record<string, string>> = {
  GET: "GetObject",
  PUT: "PutObject",
  POST: "PutObject",
  DELETE: "DeleteObject",
};

/** S3 encrypts and decrypts with the bucket's key in the caller's name. */
function onObject({ method, path, ifMatch, isLocked }: ServiceCall, resources: Resources): AccessRequest[] {
  const [bucket, ...key] = path.slice(1).split("/").map(decodeURIComponent);
  const bucketArn = toArn("AWS::S3::Bucket", bucket, resources);
  const action = objectActions[method];
  if (action === undefined || key.length === 0) return [];
  const withKey = { GET: "kms:Decrypt", PUT: "kms:GenerateDataKey", POST: "kms:GenerateDataKey" }[method];
  // S3 requires the right to read of who deletes a version that it names.
  const actions = [
    action,
    ...(method === "DELETE" && ifMatch !== undefined ? ["GetObject"] : []),
    ...(method === "PUT" && isLocked ? ["PutObjectRetention"] : []),
  ];
  return [
    ...actions.map((one) => toRequest(`s3:${one}`, `${bucketArn}/${key.join("/")}`)),
    ...(withKey === undefined ? [] : keyRequests(withKey, "s3", bucketArn, resources)),
  ];
}

function onBuses(body: Body, resources: Resources): AccessRequest[] {
  const entries = (body.Entries ?? []) as { EventBusName?: unknown }[];
  const buses = new Set(entries.map(({ EventBusName = "default" }) => EventBusName));
  return [...buses].map((bus) =>
    toRequest("events:PutEvents", toArn("AWS::Events::EventBus", bus, resources)),
  );
}

function onKey(operation: string, body: Body, resources: Resources): AccessRequest {
  const { SigningAlgorithm, MessageType } = body;
  return toRequest(`kms:${operation}`, toArn("AWS::KMS::Key", body.KeyId, resources), {
    ...(SigningAlgorithm !== undefined && { "kms:SigningAlgorithm": String(SigningAlgorithm) }),
    ...(MessageType !== undefined && { "kms:MessageType": String(MessageType) }),
  });
}

const emailPath = "/v2/email/outbound-emails";
const invokePath = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/;
const restApiPath = /^\/(apikeys|usageplans|restapis)(\/|$)/;

function withoutTarget(call: ServiceCall, resources: Resources): AccessRequest[] {
  const { method, path, body } = call;
  const { region, account } = resources;
  if (call.service === "s3") return onObject(call, resources);
  if (path === emailPath) {
    const address = String(body.FromEmailAddress ?? "");
    const identity = `arn:aws:ses:${region}:${account}:identity/${address.split("@").at(-1)}`;
    return [toRequest("ses:SendEmail", identity, { "ses:FromAddress": address })];
  }
  const invoked = invokePath.exec(path)?.[1];
  if (invoked !== undefined) {
    const name = decodeURIComponent(invoked);
    // A function and its aliases are resources of their own: a right to one is none to the other.
    const type = isAlias(name) ? "AWS::Lambda::Alias" : "AWS::Lambda::Function";
    return [toRequest("lambda:InvokeFunction", toArn(type, name, resources))];
  }
  if (restApiPath.test(path))
    return [toRequest(`apigateway:${method}`, `arn:aws:apigateway:${region}::${path}`)];
  return [];
}

function isAlias(functionName: string): boolean {
  return functionName.replace(/^arn:.*:function:/, "").includes(":");
}

/**
 * Finds a resource's ARN by name, id or ARN. Unknown resources get an ARN that no policy matches.
 */
function toArn(type: string, nameOrArn: unknown, { arns, region, account }: Resources): string {
  const name = String(nameOrArn);
  return arns.get(`${type} ${name}`) ?? `arn:aws:unknown:${region}:${account}:${name}`;
}

export interface Touched {
  readonly action: string;
  readonly table: unknown;
  readonly index?: string;
  /** The partition key of an item to put, update or delete. */
  readonly partition?: string | undefined;
}

const transactActions: Readonly<Record<string, string>> = {
  Put: "PutItem",
  Update: "UpdateItem",
  Delete: "DeleteItem",
  ConditionCheck: "ConditionCheckItem",
  Get: "GetItem",
};

interface WriteInput {
  readonly TableName: unknown;
  readonly Item?: StoredKey;
  readonly Key?: StoredKey;
}

interface StoredKey {
  readonly pk?: { readonly S?: string };
}

export function touched(operation: string, body: Readonly<Record<string, unknown>>): Touched[] {
  if (operation === "TransactWriteItems" || operation === "TransactGetItems") {
    const items = (body.TransactItems ?? []) as Record<string, WriteInput>[];
    return items.flatMap((item) =>
      Object.entries(item).map(([kind, { TableName, Item, Key }]) => ({
        action: transactActions[kind] ?? operation,
        table: TableName,
        partition: (Item ?? Key)?.pk?.S,
      })),
    );
  }
  if (operation === "BatchGetItem" || operation === "BatchWriteItem") {
    return Object.keys((body.RequestItems ?? {}) as object).map((table) => ({ action: operation, table }));
  }
  const index = typeof body.IndexName === "string" ? { index: body.IndexName } : {};
  const { TableName, Item, Key } = body as Partial<WriteInput>;
  return [{ action: operation, table: TableName, ...index, partition: (Item ?? Key)?.pk?.S }];
}
