import { type Assembly, ownReplica } from "../template.ts";
import type { AccessRequest } from "./policy.ts";
import { touched } from "./touched.ts";

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

type Body = ServiceCall["body"];

/** Empty for an unknown call, which is then denied. */
export function requestedBy(call: ServiceCall, assembly: Assembly): AccessRequest[] {
  const [service = "", operation = ""] = (call.target ?? "").split(".");
  switch (service) {
    case "DynamoDB_20120810":
      return onTables(operation, call.body, assembly);
    case "AmazonSQS": {
      const queue = String(call.body.QueueUrl ?? call.body.QueueName ?? "")
        .split("/")
        .at(-1);
      const action = `sqs:${operation.replace(/Batch$/, "")}`;
      return [toRequest(action, toArn("AWS::SQS::Queue", queue, assembly))];
    }
    case "AWSEvents":
      return operation === "PutEvents" ? onBuses(call.body, assembly) : [];
    case "secretsmanager": {
      const secret = toArn("AWS::SecretsManager::Secret", call.body.SecretId, assembly);
      const action = `secretsmanager:${operation}`;
      return [toRequest(action, secret), ...decryptRequests("secretsmanager", secret, assembly)];
    }
    case "TrentService":
      return [onKey(operation, call.body, assembly)];
    default:
      return withoutTarget(call, assembly);
  }
}

export function toRequest(
  action: string,
  resource: string,
  context: AccessRequest["context"] = {},
): AccessRequest {
  return { action, resource, context };
}

function onTables(operation: string, body: Body, assembly: Assembly): AccessRequest[] {
  return touched(operation, body).flatMap(({ action, table, index, partition }) => {
    const tableArn = toArn("AWS::DynamoDB::GlobalTable", table, assembly);
    const resource = index === undefined ? tableArn : `${tableArn}/index/${index}`;
    const request = { ...toRequest(`dynamodb:${action}`, resource), partition };
    return [request, ...decryptRequests("dynamodb", tableArn, assembly)];
  });
}

/** A service decrypts with a customer's key in the caller's name. */
export function decryptRequests(service: string, owner: string, assembly: Assembly): AccessRequest[] {
  return keyRequests("kms:Decrypt", service, owner, assembly);
}

function keyRequests(action: string, service: string, owner: string, assembly: Assembly): AccessRequest[] {
  const resource = assembly.byArn(owner);
  if (resource === undefined) return [];
  const { KmsKeyId, BucketEncryption } = resource.properties as {
    KmsKeyId?: unknown;
    BucketEncryption?: {
      ServerSideEncryptionConfiguration: {
        ServerSideEncryptionByDefault?: { KMSMasterKeyID?: unknown };
      }[];
    };
  };
  const [ofBucket] = BucketEncryption?.ServerSideEncryptionConfiguration ?? [];
  const { SSESpecification } = ownReplica(resource, assembly);
  const key =
    SSESpecification?.KMSMasterKeyId ?? KmsKeyId ?? ofBucket?.ServerSideEncryptionByDefault?.KMSMasterKeyID;
  if (key === undefined) return [];
  const viaService = { "kms:ViaService": `${service}.${assembly.region}.amazonaws.com` };
  return [toRequest(action, String(key), viaService)];
}

const objectActions: Readonly<Record<string, string>> = {
  GET: "GetObject",
  HEAD: "GetObject",
  PUT: "PutObject",
  POST: "PutObject",
  DELETE: "DeleteObject",
};

/** S3 encrypts and decrypts with the bucket's key in the caller's name. */
function onObject({ method, path, ifMatch, isLocked }: ServiceCall, assembly: Assembly): AccessRequest[] {
  const [bucket, ...key] = path.slice(1).split("/").map(decodeURIComponent);
  const bucketArn = toArn("AWS::S3::Bucket", bucket, assembly);
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
    ...(withKey === undefined ? [] : keyRequests(withKey, "s3", bucketArn, assembly)),
  ];
}

function onBuses(body: Body, assembly: Assembly): AccessRequest[] {
  const entries = (body.Entries ?? []) as { EventBusName?: unknown }[];
  const buses = new Set(entries.map(({ EventBusName = "default" }) => EventBusName));
  return [...buses].map((bus) =>
    toRequest("events:PutEvents", toArn("AWS::Events::EventBus", bus, assembly)),
  );
}

function onKey(operation: string, body: Body, assembly: Assembly): AccessRequest {
  const { SigningAlgorithm, MessageType } = body;
  return toRequest(`kms:${operation}`, toArn("AWS::KMS::Key", body.KeyId, assembly), {
    ...(SigningAlgorithm !== undefined && { "kms:SigningAlgorithm": String(SigningAlgorithm) }),
    ...(MessageType !== undefined && { "kms:MessageType": String(MessageType) }),
  });
}

const emailPath = "/v2/email/outbound-emails";
const invokePath = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/;
const restApiPath = /^\/(apikeys|usageplans|restapis)(\/|$)/;

function withoutTarget(call: ServiceCall, assembly: Assembly): AccessRequest[] {
  const { method, path, body } = call;
  const { region, account } = assembly;
  if (call.service === "s3") return onObject(call, assembly);
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
    return [toRequest("lambda:InvokeFunction", toArn(type, name, assembly))];
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
function toArn(type: string, nameOrArn: unknown, assembly: Assembly): string {
  const name = String(nameOrArn);
  const found = assembly.ofType(type).find(({ arn, physicalName }) => arn === name || physicalName === name);
  return found?.arn ?? `arn:aws:unknown:${assembly.region}:${assembly.account}:${name}`;
}
