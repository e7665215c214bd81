import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { endServer, listen } from "../harness/listen.ts";
import { type SourceFile, sourceFiles } from "../harness/source-files.ts";

/** Refuses whatever is asked, and remembers of which service and under which path. */
class Refuser {
  readonly asked = new Set<string>();
  readonly paths: string[] = [];
  readonly #server = createServer((request, response) => {
    const service = /Credential=[^/]+\/\d+\/[^/]+\/([^/]+)\//.exec(request.headers.authorization ?? "")?.[1];
    this.asked.add(service ?? "unsigned");
    this.paths.push(request.url ?? "");
    response.writeHead(400, { "content-type": "application/json" }).end("{}");
  });

  readonly start = () => listen(this.#server);
  readonly stop = () => endServer(this.#server);
}

describe("custom endpoints of AWS", () => {
  const [all, queues] = [new Refuser(), new Refuser()];
  let code: number | null;

  beforeAll(async () => {
    const child = spawn(process.execPath, [resolve("test/infra/aws/each-client.ts")], {
      stdio: ["ignore", "inherit", "inherit"],
      env: {
        PATH: process.env.PATH,
        HOME: "/nowhere",
        AWS_REGION: "eu-west-1",
        AWS_ACCESS_KEY_ID: "id",
        AWS_SECRET_ACCESS_KEY: "secret",
        AWS_EC2_METADATA_DISABLED: "true",
        AWS_ENDPOINT_URL: await all.start(),
        AWS_ENDPOINT_URL_SQS: await queues.start(),
        ENVIRONMENT_NAME: "staging",
        FILES_BUCKET: "bucket",
        NUMBER_KEY: "key",
        PROCESSOR_FUNCTION: "function",
        SENDER_ADDRESS: "from@platform.example",
      },
    });
    await once(child, "close");
    code = child.exitCode;
  });
  afterAll(() => Promise.all([all.stop(), queues.stop()]));

  test("every client uses AWS_ENDPOINT_URL, or AWS_ENDPOINT_URL_<SERVICE> for its service, even with a queue's URL", () => {
    expect(code).toBe(0);
    expect([...all.asked].toSorted()).toEqual(
      [
        "apigateway",
        "cloudformation",
        "dynamodb",
        "events",
        "kms",
        "lambda",
        "s3",
        "secretsmanager",
        "ses",
        "ssm",
        "sts",
      ].toSorted(),
    );
    expect(queues.asked).toEqual(new Set(["sqs"]));
    expect(queues.paths.length).toBeGreaterThanOrEqual(2);
    expect(all.paths.filter((path) => path.startsWith("/bucket"))).not.toEqual([]);
  });

  test("this test covers every client", () => {
    const files = [...sourceFiles("shared"), ...sourceFiles("functions"), ...sourceFiles("infra")];
    const makers = files.filter(
      (file) => !/^infra\/(local|development|console\/test)\//.test(file.path) && clientsOf(file).length > 0,
    );
    const made = makers.flatMap((file) => clientsOf(file).map((client) => `${file.path}: ${client}`));
    const tried = [
      "infra/commands/feed.ts: S3Client",
      "shared/platform/file-store.ts: S3Client",
      "shared/platform/send-email.ts: SESv2Client",
      "functions/outbox-relay/bus.ts: EventBridgeClient",
      "shared/platform/queue/send-batch.ts: SQSClient",
      "shared/platform/table/client.ts: DynamoDBClient",
      "shared/platform/read-secret.ts: SecretsManagerClient",
      "shared/tenancy/usage/usage-keys.ts: APIGatewayClient",
      "functions/certificates/sign-certificate.ts: KMSClient",
      "functions/vault/keys.ts: KMSClient",
      "infra/commands/invoke-operator.ts: LambdaClient",
      "infra/commands/dead-letters/target.ts: DynamoDBStreamsClient",
      "infra/commands/dead-letters/target.ts: LambdaClient",
      "infra/commands/dead-letters/target.ts: SQSClient",
      "infra/commands/deploy/deploy-environment.ts: S3Client",
      "infra/commands/deploy/cdk.ts: SSMClient",
      "infra/commands/deploy/environment-checks.ts: STSClient",
      "infra/commands/deploy/stacks.ts: CloudFormationClient",
      "infra/commands/deploy/first-tenant-record.ts: SSMClient",
      "infra/commands/deploy/quotas.ts: LambdaClient",
      "infra/commands/deploy/quotas.ts: SESv2Client",
      // test/infra/restore.proof.test.ts runs these against an emulator.
      "infra/commands/restore/restore-environment.ts: DynamoDBClient",
      "infra/commands/restore/restore-tables.ts: CloudFormationClient",
      "infra/commands/restore/restore-tables.ts: DynamoDBClient",
      // Made as that of restore-tables.ts is; restore-traffic.test.ts runs the calls.
      "infra/commands/restore/aws-restoration.ts: DynamoDBClient",
      "infra/commands/restore/aws-restoration.ts: LambdaClient",
      // It signs, and sends nothing: administer sends what it signed.
      "infra/commands/invoke-operator.ts: STSClient",
      // It signs too, and the calls go to the endpoint of the variables.
      "infra/commands/deploy/trail.ts: STSClient",
      // test/infra/prune-versions.test.ts runs this one against an emulator.
      "infra/commands/rollback/prune-versions.ts: LambdaClient",
      // Made as that of quotas.ts is.
      "infra/commands/rollback/rollback.ts: LambdaClient",
      // test/system/second-region.test.ts and test/functions/authorizer/pepper.test.ts run these.
      "infra/commands/failover/copy-store.ts: DynamoDBClient",
      "infra/commands/failover/undo-torn.ts: DynamoDBStreamsClient",
      "infra/commands/read-shard.ts: DynamoDBStreamsClient",
      "infra/commands/pepper/rotate-pepper.ts: SecretsManagerClient",
      // test/infra/deploy-second.proof.test.ts runs this one.
      "infra/commands/deploy/second-region.ts: DynamoDBClient",
      // It is given the one of infra/commands/deploy/deploy-environment.ts.
      "infra/commands/deploy/truststore.ts: S3Client",
    ];
    expect(made.toSorted()).toEqual(tried.toSorted());
  });
});

/** The clients of AWS that a file imports to make one. */
function clientsOf(file: SourceFile): string[] {
  return file.imports
    .filter(({ target, isType }) => target.startsWith("@aws-sdk/client-") && !isType)
    .flatMap(({ names }) => names.filter((name) => name.endsWith("Client")))
    .toSorted();
}
