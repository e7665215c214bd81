import { CfnOutput, CfnParameter, Duration, Stack, type StackProps } from "aws-cdk-lib";
import { EventBus } from "aws-cdk-lib/aws-events";
import type { Construct } from "constructs";
import { routes } from "../shared/contract/routes.ts";
import { CredentialsAuthorizer } from "./api/authorizer.ts";
import { MutualTlsDomain } from "./api/domain.ts";
import { GatewayAccount } from "./api/gateway-account.ts";
import { ContractApi } from "./api/rest-api.ts";
import { WebAcl } from "./api/web-acl.ts";
import { grantRead, grantReadWrite, grantSecretRead } from "./data-rights.ts";
import type { DataStack } from "./data-stack.ts";
import type { Settings } from "./environments.ts";
import { Deadlines } from "./messaging/deadlines.ts";
import { OutboxRelay } from "./messaging/outbox-relay.ts";
import { WorkQueue } from "./messaging/work-queue.ts";
import { Alarms } from "./operations/alarms.ts";
import { LogKey } from "./operations/log-key.ts";
import { addTableAlarms } from "./operations/table-alarms.ts";
import { type FunctionName, ServiceFunction } from "./service-function.ts";

export interface ServiceStackProps extends StackProps {
  readonly settings: Settings;
  readonly data: DataStack;
}

/** Everything that a deployment may replace: functions, APIs, queues, the bus, alarms. */
export class ServiceStack extends Stack {
  private readonly settings: Settings;
  private readonly data: DataStack;
  private readonly key: LogKey;
  private readonly alarms: Alarms;
  /** Where names are resolved, and the receivers that need not be public: of whoever resolves or sends. */
  private readonly reach: { readonly DNS_SERVERS: string; readonly ALLOWED_RECEIVERS: string };

  constructor(scope: Construct, id: string, props: ServiceStackProps) {
    super(scope, id, props);
    this.settings = props.settings;
    this.data = props.data;
    this.key = new LogKey(this, "LogKey", props.settings);
    this.alarms = new Alarms(this, "Alarms", { settings: props.settings, key: this.key });
    this.reach = { DNS_SERVERS: this.dnsServers(), ALLOWED_RECEIVERS: this.allowedReceivers() };
    addTableAlarms(this.alarms, {
      IssuingTable: props.data.issuingTable,
      AccountsTable: props.data.accountsTable,
    });
    this.addApis();
    this.addMessaging();
    this.addOperator();
  }

  /** The REST APIs with the functions behind them and the hosts in front of them. */
  private addApis() {
    const { settings, data } = this;
    const { issuingTable, accountsTable } = data;
    const functions = {
      cardholders: this.function("Cardholders", "cardholders", "Cardholders and their KYC lifecycle.", {
        environment: { ISSUING_TABLE: issuingTable.tableName, KYC_BASE_URL: settings.kycBaseUrl },
      }),
      cards: this.issuingFunction("Cards", "cards", "Cards: issuing, status, balance, deposits."),
      wallets: this.issuingFunction("Wallets", "wallets", "Wallets, their deposits and transfers."),
      otp: this.function("Otp", "otp", "One-time passcodes and the subscriptions to them.", {
        environment: { ISSUING_TABLE: issuingTable.tableName, ...this.reach },
      }),
      ...(settings.sandboxHost === undefined
        ? {}
        : {
            sandbox: this.issuingFunction("Sandbox", "sandbox", "Emulates the card network and compliance."),
          }),
    };
    grantReadWrite(issuingTable, functions.cardholders);
    grantReadWrite(issuingTable, functions.otp);

    const authorizer = this.function("Authorizer", "authorizer", "Decides who may call the APIs.", {
      timeout: Duration.seconds(5),
      environment: {
        ACCOUNTS_TABLE: accountsTable.tableName,
        KEY_PEPPER_SECRET_ID: data.keyPepper.secretArn,
        DNS_SERVERS: this.reach.DNS_SERVERS,
      },
    });
    grantRead(accountsTable, authorizer);
    grantSecretRead(data.keyPepper, authorizer);

    const account = new GatewayAccount(this, "GatewayAccount");
    const common = { settings, routes, functions, logKey: this.key };
    const platform = new ContractApi(this, "PlatformApi", {
      ...common,
      api: "platform",
      authorizer: new CredentialsAuthorizer(this, "PlatformAuthorizer", authorizer),
    });
    platform.deploymentStage.node.addDependency(account);
    const sandbox =
      settings.sandboxHost &&
      new ContractApi(this, "SandboxApi", {
        ...common,
        api: "sandbox",
        authorizer: new CredentialsAuthorizer(this, "SandboxAuthorizer", authorizer),
      });
    sandbox?.deploymentStage.node.addDependency(account);
    for (const api of sandbox ? [platform, sandbox] : [platform]) api.addAlarms(this.alarms);

    new WebAcl(this, "WebAcl", {
      settings,
      stages: {
        Platform: platform.deploymentStage,
        ...(sandbox && { Sandbox: sandbox.deploymentStage }),
      },
      logKey: this.key,
    });

    const truststore = {
      truststoreBucket: data.truststoreBucket,
      ...this.truststoreVersion(),
    };
    new MutualTlsDomain(this, "PlatformDomain", {
      ...truststore,
      host: settings.platformHost,
      mappings: { v2: platform, ...(sandbox && { "v2/sandbox": sandbox }) },
    });
    this.output("PlatformBaseUrl", `https://${settings.platformHost.hostName}/v2`);
    if (settings.sandboxHost && sandbox) {
      new MutualTlsDomain(this, "SandboxDomain", {
        ...truststore,
        host: settings.sandboxHost,
        mappings: { v2: sandbox },
      });
      this.output("SandboxBaseUrl", `https://${settings.sandboxHost.hostName}/v2`);
    }
  }

  /** What moves without a request: events to the bus, the processor's messages, what is due. */
  private addMessaging() {
    const { settings, data, alarms } = this;
    const { removalPolicy } = settings;
    const bus = new EventBus(this, "EventBus", { eventBusName: `card-issuing-${settings.name}` });
    this.output("EventBusName", bus.eventBusName);

    const relay = this.function("OutboxRelayFunction", "outbox-relay", "Puts committed events on the bus.", {
      timeout: Duration.seconds(30),
      environment: { EVENT_BUS_NAME: bus.eventBusName },
    });
    new OutboxRelay(this, "OutboxRelay", { table: data.issuingTable, bus, relay, alarms, removalPolicy });

    const processorTimeout = Duration.seconds(30);
    const processorEvents = new WorkQueue(this, "ProcessorEvents", {
      removalPolicy,
      alarms,
      consumer: this.issuingFunction(
        "ProcessorEventsFunction",
        "processor-events",
        "Applies what the card network and compliance send.",
        { timeout: processorTimeout },
      ),
      consumerTimeout: processorTimeout,
      concurrency: settings.queueConcurrency,
      impact: "The processor's events are not applied: balances and KYC outcomes lag behind the network.",
    });
    this.output("ProcessorQueueUrl", processorEvents.queue.queueUrl);

    new Deadlines(this, "Deadlines", {
      alarms,
      sweeper: this.issuingFunction("DeadlinesFunction", "deadlines", "Does what is due.", {
        timeout: Duration.seconds(55),
        // Two sweeps at once would only compete for the same rows.
        reservedConcurrency: 1,
      }),
    });
  }

  /** The platform's own administration: reached by IAM alone, never through an API. */
  private addOperator() {
    const { issuingTable, accountsTable, keyPepper } = this.data;
    const operator = this.function(
      "Operator",
      "operator",
      "Administration of the platform, by direct invocation.",
      {
        timeout: Duration.seconds(30),
        environment: {
          ISSUING_TABLE: issuingTable.tableName,
          ACCOUNTS_TABLE: accountsTable.tableName,
          KEY_PEPPER_SECRET_ID: keyPepper.secretArn,
        },
      },
    );
    grantReadWrite(issuingTable, operator);
    grantReadWrite(accountsTable, operator);
    grantSecretRead(keyPepper, operator);
    this.output("OperatorFunctionName", operator.functionName);
  }

  /** A function that changes what a Program owns, by settings that it can read and not change. */
  private issuingFunction(
    id: string,
    folder: FunctionName,
    description: string,
    options: { timeout?: Duration; reservedConcurrency?: number } = {},
  ): ServiceFunction {
    const { issuingTable, accountsTable } = this.data;
    const issuing = this.function(id, folder, description, {
      ...options,
      environment: { ISSUING_TABLE: issuingTable.tableName, ACCOUNTS_TABLE: accountsTable.tableName },
    });
    grantReadWrite(issuingTable, issuing);
    grantRead(accountsTable, issuing);
    return issuing;
  }

  private function(
    id: string,
    folder: FunctionName,
    description: string,
    options: { environment: Record<string, string>; timeout?: Duration; reservedConcurrency?: number },
  ): ServiceFunction {
    return new ServiceFunction(this, id, {
      settings: this.settings,
      folder,
      description,
      logKey: this.key,
      alarms: this.alarms,
      timeout: Duration.seconds(10),
      ...options,
    });
  }

  /** Empty: the system's resolver. */
  private dnsServers(): string {
    if (!this.settings.dnsServersParameter) return "";
    return new CfnParameter(this, "DnsServers", {
      description: "DNS servers to ask, as host:port,host:port.",
      default: "",
    }).valueAsString;
  }

  /** Empty: callbacks go to public receivers alone. */
  private allowedReceivers(): string {
    if (!this.settings.receiversParameter) return "";
    return new CfnParameter(this, "AllowedReceivers", {
      description: "Origins on loopback to which callbacks may go, separated by commas.",
      default: "",
    }).valueAsString;
  }

  private truststoreVersion(): { truststoreVersion?: string } {
    if (!this.settings.versionedTruststore) return {};
    const parameter = new CfnParameter(this, "TruststoreVersion", {
      description:
        "S3 version of the clients' CA bundle. The deploy command uploads the bundle and passes it.",
      minLength: 1,
    });
    return { truststoreVersion: parameter.valueAsString };
  }

  private output(id: string, value: string) {
    new CfnOutput(this, id, { value });
  }
}
