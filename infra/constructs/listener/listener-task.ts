import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Duration, Stack } from "aws-cdk-lib";
import { Platform } from "aws-cdk-lib/aws-ecr-assets";
import { ContainerImage, CpuArchitecture, FargateTaskDefinition, LogDriver } from "aws-cdk-lib/aws-ecs";
import { Effect, PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { ILogGroup } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import { truststoreKey } from "../../../shared/contract/authority.ts";
import { idPrefixes } from "../../../shared/contract/identifiers.ts";
import type { Settings } from "../../environments.ts";
import { functionArn } from "../arns.ts";
import type { FunctionData } from "../function-factory.ts";
import { processorFunctionName, vaultFunctionName } from "../names.ts";
import { attachWritesPolicy } from "../second-region.ts";
import { takeBundle } from "../start-bundling.ts";
import type { ListenerSettings } from "./listener-settings.ts";

export const listenPort = 8583;
/** Plain HTTP: only the load balancer reaches it, and it says no more than 200 or 503. */
export const healthPort = 8584;

interface ListenerTaskProps {
  readonly settings: Settings;
  readonly listener: ListenerSettings;
  readonly data: FunctionData;
  readonly logGroup: ILogGroup;
}

/** The listener's container and what it may do. */
export class ListenerTask extends FargateTaskDefinition {
  constructor(scope: Construct, id: string, props: ListenerTaskProps) {
    super(scope, id, {
      cpu: 512,
      memoryLimitMiB: 1024,
      runtimePlatform: { cpuArchitecture: CpuArchitecture.ARM64 },
    });
    const { settings, listener, data, logGroup } = props;
    const names = {
      vault: vaultFunctionName(settings.name, "listener"),
      processor: processorFunctionName(settings.name),
    };
    this.addContainer("Listener", {
      image: ContainerImage.fromAsset(writeListenerImage(this), { platform: Platform.LINUX_ARM64 }),
      portMappings: [{ containerPort: listenPort }, { containerPort: healthPort }],
      logging: LogDriver.awsLogs({ logGroup, streamPrefix: "listener" }),
      readonlyRootFilesystem: true,
      // Longer than the listener waits for the messages under way.
      stopTimeout: Duration.seconds(30),
      environment: {
        ENVIRONMENT_NAME: settings.name,
        LOG_LEVEL: settings.logLevel,
        SERVICE_NAME: "listener",
        ISSUING_TABLE: data.issuingTable.tableName,
        ACCOUNTS_TABLE: data.accountsTable.tableName,
        VAULT_FUNCTION: names.vault,
        PROCESSOR_FUNCTION: names.processor,
        TRUSTSTORE_BUCKET: data.buckets.truststore.bucketName,
        LISTENER_HOST: "0.0.0.0",
        LISTENER_PORT: String(listenPort),
        LISTENER_HEALTH_PORT: String(healthPort),
        LISTENER_DIALECT: listener.dialect,
        LISTENER_MESSAGES: String(listener.messagesInFlight),
        LISTENER_CLIENTS: listener.clients.join(","),
        LISTENER_CERTIFICATE_SECRET_ID: listener.certificateSecretArn,
      },
    });
    const functions = Object.values(names).map((name) => functionArn(this, name));
    this.allow(["lambda:InvokeFunction"], functions);
    this.grantTables(data);
    attachWritesPolicy(this.taskRole, settings);
    this.allow(["secretsmanager:GetSecretValue"], [listener.certificateSecretArn]);
    this.allow(["s3:GetObject"], [data.buckets.truststore.arnForObjects(truststoreKey)]);
  }

  private allow(actions: string[], resources: string[], conditions = {}): void {
    this.addToTaskRolePolicy(new PolicyStatement({ effect: Effect.ALLOW, actions, resources, conditions }));
  }

  /** It may keep what it refuses, and read which processor a Program has. */
  private grantTables({ issuingTable, accountsTable, key }: FunctionData): void {
    this.allow(["dynamodb:PutItem"], [issuingTable.tableArn], {
      "ForAllValues:StringEquals": { "dynamodb:LeadingKeys": ["DESK#REFUSED"] },
    });
    // A read of a whole item names no attributes.
    this.allow(["dynamodb:GetItem"], [accountsTable.tableArn], {
      "ForAllValues:StringLike": { "dynamodb:LeadingKeys": [`${idPrefixes.program}_*`] },
      "ForAllValues:StringEquals": { "dynamodb:Attributes": ["pk", "sk", "adapter"] },
      Null: { "dynamodb:Attributes": "false" },
    });
    this.allow(["kms:Decrypt", "kms:GenerateDataKey"], [key.keyArn], {
      StringEquals: { "kms:ViaService": `dynamodb.${Stack.of(this).region}.amazonaws.com` },
    });
  }
}

/** The release of Node that tests run on, for both architectures, by its content. */
const baseImage =
  "public.ecr.aws/docker/library/node:24.21.0-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6";

/** The directory of an image with the bundle of the listener, where stacks are bundled. */
function writeListenerImage(scope: Construct): string {
  const directory = mkdtempSync(path.join(tmpdir(), "listener-"));
  const bundle = Stack.of(scope).bundlingRequired ? takeBundle("listener") : [];
  for (const [name, contents] of bundle) writeFileSync(path.join(directory, name), contents);
  const lines = [
    `FROM ${baseImage}`,
    "ENV NODE_ENV=production NODE_OPTIONS=--enable-source-maps",
    "WORKDIR /listener\nCOPY *.mjs *.map ./",
    "USER node",
    'CMD ["node", "handler.mjs"]',
  ];
  writeFileSync(path.join(directory, "Dockerfile"), `${lines.join("\n")}\n`);
  return directory;
}
