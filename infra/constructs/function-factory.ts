import { CfnParameter, Duration, Stack } from "aws-cdk-lib";
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { Bucket } from "aws-cdk-lib/aws-s3";
import type { ISecret } from "aws-cdk-lib/aws-secretsmanager";
import type { Construct } from "constructs";
import type { VaultCaller } from "../../shared/contract/vault.ts";
import type { Settings } from "../environments.ts";
import type { KeptTable } from "./data-table.ts";
import { grantInvoke, grantItems, grantSecretRead } from "./grants.ts";
import { functionName, vaultFunctionName } from "./names.ts";
import type { Alarms } from "./operations/alarms.ts";
import { ServiceFunction } from "./service-function.ts";
import type { FunctionName } from "./table-permissions.ts";
import { tablePermissions } from "./table-permissions.ts";

/** What outlives all functions, in their region. */
export interface FunctionData {
  readonly key: IKey;
  readonly accountsTable: KeptTable;
  readonly issuingTable: KeptTable;
  /** Each has its logical id. */
  readonly tables: Readonly<Record<string, KeptTable>>;
  readonly keyPepper: ISecret;
  readonly filesBucket: Bucket;
  readonly evidenceBucket: Bucket;
  readonly recordsBucket: Bucket;
  readonly truststoreBucket: Bucket;
  readonly accessLogsBucket: Bucket;
  /** By name, in the order of the settings. */
  readonly authorityKeys: ReadonlyMap<string, { readonly keyArn: string }>;
}

interface FunctionFactoryProps {
  readonly settings: Settings;
  readonly data: FunctionData;
  readonly logKey: IKey;
  readonly alarms: Alarms;
}

interface FunctionOptions {
  readonly timeout?: Duration;
  readonly memoryMegabytes?: number;
  readonly reservedConcurrency?: number;
  /** Defaults to the folder. */
  readonly name?: string;
  readonly roleName?: string;
  readonly environment?: Record<string, string>;
}

type FunctionArguments = [id: string, folder: FunctionName, description: string, options?: FunctionOptions];

export class FunctionFactory {
  readonly props: FunctionFactoryProps;
  private readonly scope: Construct;

  constructor(scope: Construct, props: FunctionFactoryProps) {
    this.scope = scope;
    this.props = props;
  }

  /** It has its permissions to table items (`tablePermissions`). */
  plain(...[id, folder, description, options = {}]: FunctionArguments): ServiceFunction {
    const { settings, data, logKey, alarms } = this.props;
    const { name = folder, ...others } = options;
    const made = new ServiceFunction(this.scope, id, {
      settings,
      folder,
      description,
      logKey,
      alarms,
      timeout: Duration.seconds(10),
      environment: {},
      ...others,
      name: functionName(settings.name, name),
    });
    const { issuing, accounts } = tablePermissions[folder];
    if (issuing) grantItems(data.issuingTable, made, issuing);
    if (accounts) grantItems(data.accountsTable, made, accounts);
    return made;
  }

  ofPrograms(...words: FunctionArguments): ServiceFunction {
    return this.withEnvironment({ ISSUING_TABLE: this.props.data.issuingTable.tableName }, words);
  }

  bySettings(...words: FunctionArguments): ServiceFunction {
    const { issuingTable, accountsTable } = this.props.data;
    const tables = { ISSUING_TABLE: issuingTable.tableName, ACCOUNTS_TABLE: accountsTable.tableName };
    return this.withEnvironment(tables, words);
  }

  ofDeposits(...[id, folder, description, options = {}]: FunctionArguments): ServiceFunction {
    const SIMULATED_BANK = String(this.props.settings.sandboxHost !== undefined);
    const environment = { SIMULATED_BANK, ...options.environment };
    return this.bySettings(id, folder, description, { ...options, environment });
  }

  ofTenants(...words: FunctionArguments): ServiceFunction {
    const { settings, data } = this.props;
    const environment = {
      ISSUING_TABLE: data.issuingTable.tableName,
      ACCOUNTS_TABLE: data.accountsTable.tableName,
      KEY_PEPPER_SECRET_ID: data.keyPepper.secretArn,
      CUSTODY_KEYS: settings.custodyKeys ? JSON.stringify(settings.custodyKeys) : "",
    };
    const made = this.withEnvironment(environment, words);
    grantSecretRead(data.keyPepper, made);
    return made;
  }

  /** Lets the function give the vault its caller's commands (`askVault`). */
  addVault(made: ServiceFunction, caller: VaultCaller): ServiceFunction {
    const vault = vaultFunctionName(this.props.settings.name, caller);
    grantInvoke(Stack.of(made), vault, made);
    return made.addEnvironment("VAULT_FUNCTION", vault) as ServiceFunction;
  }

  private withEnvironment(
    environment: Record<string, string>,
    [id, folder, description, options = {}]: FunctionArguments,
  ): ServiceFunction {
    const whole = { ...environment, ...options.environment };
    return this.plain(id, folder, description, { ...options, environment: whole });
  }
}

export interface Reach {
  readonly DNS_SERVERS: string;
  readonly ALLOWED_RECEIVERS: string;
}

/** Empty in AWS: the system's resolver and public receivers only. */
export function addReach(stack: Stack, settings: Settings): Reach {
  const parameter = (id: string, description: string) =>
    new CfnParameter(stack, id, { description, default: "" }).valueAsString;
  return {
    DNS_SERVERS: settings.dnsServersParameter
      ? parameter("DnsServers", "DNS servers, as host:port,host:port.")
      : "",
    ALLOWED_RECEIVERS: settings.receiversParameter
      ? parameter("AllowedReceivers", "Loopback origins that may receive callbacks, separated by commas.")
      : "",
  };
}

/**
 * Whether Tenants set collecting accounts and connections by themselves: where there is a sandbox.
 * On this machine it can be tried without.
 */
export function addSelfService(stack: Stack, { sandboxHost, receiversParameter }: Settings): string {
  if (!receiversParameter) return String(sandboxHost !== undefined);
  const description = "Whether Tenants set collecting accounts and connections by themselves.";
  return new CfnParameter(stack, "SelfService", { description, default: "true" }).valueAsString;
}

/** Where connected parties send to. Locally the port is known when the platform starts. */
export function addWebhookBaseUrl(stack: Stack, settings: Settings): string {
  if (!settings.receiversParameter) return `https://${settings.webhookHost.hostName}/v2`;
  return new CfnParameter(stack, "WebhookBaseUrl", {
    description: "Base URL of the host that connected parties send to.",
    default: "",
  }).valueAsString;
}
