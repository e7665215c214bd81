import path from "node:path";
import { AssetHashType, DockerImage, type Duration, Validations } from "aws-cdk-lib";
import { PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { Architecture, Code, Function as LambdaFunction, Runtime, Tracing } from "aws-cdk-lib/aws-lambda";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import { buildSync } from "esbuild";
import type { Settings } from "./environments.ts";
import { type Alarms, alarmPeriod } from "./operations/alarms.ts";

/** Folders under `functions/`: one Lambda each. */
export type FunctionName =
  | "authorizer"
  | "cardholders"
  | "cards"
  | "wallets"
  | "sandbox"
  | "operator"
  | "processor-events"
  | "outbox-relay"
  | "deadlines";

export interface ServiceFunctionProps {
  readonly settings: Settings;
  readonly folder: FunctionName;
  readonly description: string;
  /** Encrypts the function's log. */
  readonly logKey: IKey;
  readonly alarms: Alarms;
  readonly timeout: Duration;
  readonly environment: Record<string, string>;
  /** Upper bound of concurrent runs; by default what the account has. */
  readonly reservedConcurrency?: number;
}

const projectRoot = path.resolve(import.meta.dirname, "..");

/**
 * One Lambda of the platform, with a role and a log group of its own. The role can write its log and its traces; every
 * other right is granted where the function is used.
 */
export class ServiceFunction extends LambdaFunction {
  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    const { settings, folder } = props;
    const logGroup = new LogGroup(scope, `${id}Log`, {
      retention: settings.logRetentionDays,
      encryptionKey: props.logKey,
      removalPolicy: settings.removalPolicy,
    });
    const role = new Role(scope, `${id}Role`, {
      assumedBy: new ServicePrincipal("lambda.amazonaws.com"),
      description: `What the ${folder} function may do.`,
    });
    role.addToPolicy(
      new PolicyStatement({
        actions: ["xray:PutTraceSegments", "xray:PutTelemetryRecords"],
        resources: ["*"],
      }),
    );
    logGroup.grantWrite(role);
    super(scope, id, {
      description: props.description,
      code: bundle(folder),
      handler: "index.handler",
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      // More than the code needs: CPU comes with memory, and initialization is waited for and billed.
      memorySize: 1024,
      timeout: props.timeout,
      role,
      logGroup,
      tracing: Tracing.ACTIVE,
      ...(props.reservedConcurrency === undefined
        ? {}
        : { reservedConcurrentExecutions: props.reservedConcurrency }),
      environment: {
        ENVIRONMENT_NAME: settings.name,
        LOG_LEVEL: settings.logLevel,
        POWERTOOLS_SERVICE_NAME: folder,
        NODE_OPTIONS: "--enable-source-maps",
        ...props.environment,
      },
    });
    props.alarms.add(`${id}Throttled`, {
      metric: this.metricThrottles({ period: alarmPeriod }),
      threshold: 0,
      impact: `Runs of the ${folder} function were refused for lack of concurrency.`,
    });
    Validations.of(this).acknowledge({
      id: "PCI.DSS.321-LambdaInsideVPC",
      reason:
        "It accepts no connections, and all that it calls are public endpoints under TLS and IAM: a VPC has nothing to hide.",
    });
    Validations.of(role).acknowledge({
      id: "AwsSolutions-IAM5[Resource::*]",
      reason: "X-Ray has no resources to name: its write actions are granted on all of them or not at all.",
    });
  }
}

/**
 * The function's bundle: one minified ES module with the SDK inside, which loads in a fifth of the time that CommonJS
 * takes. esbuild runs in this process: a spawned one for each function would double the time of a synthesis.
 */
function bundle(folder: FunctionName): Code {
  const entry = `functions/${folder}/handler.ts`;
  return Code.fromAsset(projectRoot, {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      // Never run. CDK tells one bundle from another by these two, and by nothing that `local` does.
      image: DockerImage.fromRegistry("none"),
      command: ["esbuild", entry],
      local: {
        tryBundle(outputDirectory) {
          buildSync({
            absWorkingDir: projectRoot,
            entryPoints: [entry],
            outfile: path.join(outputDirectory, "index.mjs"),
            bundle: true,
            platform: "node",
            target: "node24",
            format: "esm",
            mainFields: ["module", "main"],
            minify: true,
            keepNames: true,
            sourcemap: true,
            sourcesContent: false,
            logLevel: "warning",
          });
          return true;
        },
      },
    },
  });
}
