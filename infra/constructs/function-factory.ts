import { CfnParameter, type Stack } from "aws-cdk-lib";
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { ISecret } from "aws-cdk-lib/aws-secretsmanager";
import type { VaultCaller } from "../../shared/contract/vault.ts";
import type { Settings } from "../environments.ts";
import type { DataBuckets } from "./data-buckets.ts";
import type { KeptTable } from "./data-table.ts";
import { grantInvoke, grantItems, grantSecretRead } from "./grants.ts";
import { vaultFunctionName } from "./names.ts";
import type { Alarms } from "./operations/alarms.ts";
import { type FunctionOptions, ServiceFunction } from "./service-function.ts";
import { type FunctionName, tablePermissions } from "./table-permissions.ts";

/** What outlives all functions, in their region. */
export interface FunctionData {
  readonly key: IKey;
  readonly accountsTable: KeptTable;
  readonly issuingTable: KeptTable;
  /** Each has its logical id. */
  readonly tables: Readonly<Record<string, KeptTable>>;
  readonly keyPepper: ISecret;
  readonly buckets: DataBuckets;
  /** By name, in the order of the settings. */
  readonly authorityKeys: ReadonlyMap<string, { readonly keyArn: string }>;
}

interface FunctionFactoryProps {
  readonly settings: Settings;
  readonly data: FunctionData;
  readonly logKey: IKey;
  readonly alarms: Alarms;
}

type FunctionArguments = [id: string, folder: FunctionName, description: string, options?: FunctionOptions];

/** Makes the functions of a stack. */
export class FunctionFactory {
  readonly stack: Stack;
  readonly props: FunctionFactoryProps;
  #reach: Reach | undefined;

  constructor(stack: Stack, props: FunctionFactoryProps) {
    this.stack = stack;
    this.props = props;
  }

  /** Variables of functions that call others. */
  get reach(): Reach {
    this.#reach ??= addReach(this.stack, this.props.settings);
    return this.#reach;
  }

  /** It has its permissions to table items (`tablePermissions`). */
  plain(...[id, folder, description, options]: FunctionArguments): ServiceFunction {
    const { settings, data, logKey, alarms } = this.props;
    const common = { settings, folder, description, logKey, alarms };
    const made = new ServiceFunction(this.stack, id, { ...common, ...options });
    const { issuing, accounts } = tablePermissions[folder];
    if (issuing) grantItems(data.issuingTable, made, issuing);
    if (accounts) grantItems(data.accountsTable, made, accounts);
    return made;
  }

  ofPrograms(...given: FunctionArguments): ServiceFunction {
    return this.plain(...withVariables(given, { ISSUING_TABLE: this.props.data.issuingTable.tableName }));
  }

  bySettings(...given: FunctionArguments): ServiceFunction {
    return this.ofPrograms(
      ...withVariables(given, { ACCOUNTS_TABLE: this.props.data.accountsTable.tableName }),
    );
  }

  ofDeposits(...given: FunctionArguments): ServiceFunction {
    const SIMULATED_BANK = String(this.props.settings.sandboxHost !== undefined);
    return this.bySettings(...withVariables(given, { SIMULATED_BANK }));
  }

  ofTenants(...given: FunctionArguments): ServiceFunction {
    const { settings, data } = this.props;
    const variables = {
      KEY_PEPPER_SECRET_ID: data.keyPepper.secretArn,
      CUSTODY_KEYS: settings.custodyKeys ? JSON.stringify(settings.custodyKeys) : "",
    };
    const made = this.bySettings(...withVariables(given, variables));
    grantSecretRead(data.keyPepper, made);
    return made;
  }

  /** Lets the function give the vault its caller's commands (`askVault`). */
  addVault(made: ServiceFunction, caller: VaultCaller): ServiceFunction {
    const vault = vaultFunctionName(this.props.settings.name, caller);
    grantInvoke(vault, made);
    return made.addEnvironment("VAULT_FUNCTION", vault) as ServiceFunction;
  }
}

function withVariables(
  [id, folder, description, options]: FunctionArguments,
  variables: Record<string, string>,
): FunctionArguments {
  return [id, folder, description, { ...options, environment: { ...variables, ...options?.environment } }];
}

interface Reach extends Record<string, string> {
  readonly DNS_SERVERS: string;
  readonly ALLOWED_RECEIVERS: string;
}

/** Empty in AWS: the system's resolver and public receivers only. */
function addReach(stack: Stack, settings: Settings): Reach {
  const { dnsServersParameter, receiversParameter } = settings;
  return {
    DNS_SERVERS: dnsServersParameter
      ? addParameter(stack, "DnsServers", "DNS servers, as host:port,host:port.")
      : "",
    ALLOWED_RECEIVERS: receiversParameter
      ? addParameter(
          stack,
          "AllowedReceivers",
          "Loopback origins that may receive callbacks, separated by commas.",
        )
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
  return addParameter(stack, "SelfService", description, "true");
}

/** Where connected parties send to. Locally the port is known when the platform starts. */
export function addWebhookBaseUrl(stack: Stack, { webhookHost, receiversParameter }: Settings): string {
  if (!receiversParameter) return `https://${webhookHost.hostName}/v2`;
  return addParameter(stack, "WebhookBaseUrl", "Base URL of the host that connected parties send to.");
}

function addParameter(stack: Stack, id: string, description: string, fallback = ""): string {
  return new CfnParameter(stack, id, { description, default: fallback }).valueAsString;
}
