import { CfnParameter, type Stack } from "aws-cdk-lib";
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { ISecret } from "aws-cdk-lib/aws-secretsmanager";
import type { VaultCaller } from "../../shared/contract/vault.ts";
import type { Settings } from "../environments.ts";
import type { DataBuckets } from "./data-buckets.ts";
import type { KeptTable } from "./data-table.ts";
import { grantInvoke, grantItems, grantObjects, grantSecretRead } from "./grants.ts";
import { vaultFunctionName } from "./names.ts";
import { objectPermissions } from "./object-permissions.ts";
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

interface MadeOptions extends FunctionOptions {
  /** It hashes API keys. */
  readonly hashesKeys?: true;
  /** As whom it gives the vault commands (`askVault`). */
  readonly vault?: VaultCaller;
}

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

  /** Variables of functions that take deposits. */
  get bank() {
    return { SIMULATED_BANK: String(this.props.settings.sandboxHost !== undefined) };
  }

  /** Variables of functions that make Programs. */
  get custody() {
    const { custodyKeys } = this.props.settings;
    return { CUSTODY_KEYS: custodyKeys ? JSON.stringify(custodyKeys) : "" };
  }

  /** It has the names of tables and buckets that it has permissions to. */
  make(id: string, folder: FunctionName, description: string, options: MadeOptions = {}): ServiceFunction {
    const { settings, data, logKey, alarms } = this.props;
    const { issuingTable, accountsTable, keyPepper, buckets } = data;
    const { issuing, accounts } = tablePermissions[folder];
    const vault = options.vault && vaultFunctionName(settings.name, options.vault);
    const environment = {
      ...(issuing && { ISSUING_TABLE: issuingTable.tableName }),
      ...(accounts && { ACCOUNTS_TABLE: accountsTable.tableName }),
      ...(options.hashesKeys && { KEY_PEPPER_SECRET_ID: keyPepper.secretArn }),
      ...options.environment,
    };
    const common = { settings, folder, description, logKey, alarms };
    const made = new ServiceFunction(this.stack, id, { ...common, ...options, environment });
    if (issuing) grantItems(issuingTable, made, issuing);
    if (accounts) grantItems(accountsTable, made, accounts);
    if (options.hashesKeys) grantSecretRead(keyPepper, made);
    if (vault) grantInvoke(vault, made.addEnvironment("VAULT_FUNCTION", vault) as ServiceFunction);
    for (const [name, rights] of Object.entries(objectPermissions[folder] ?? {})) {
      const bucket = buckets[name as keyof DataBuckets];
      made.addEnvironment(`${name.toUpperCase()}_BUCKET`, bucket.bucketName);
      grantObjects(bucket, made, rights);
    }
    return made;
  }

  /** Their ids are the folders', in capitals. */
  makeAll<Name extends FunctionName>(
    all: Readonly<Record<Name, readonly [description: string, options?: MadeOptions]>>,
  ): Readonly<Record<Name, ServiceFunction>> {
    const toId = (name: string) => name.replace(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase());
    const made = (Object.entries(all) as [Name, (typeof all)[Name]][]).map(
      ([name, [description, options]]) => [name, this.make(toId(name), name, description, options)],
    );
    return Object.fromEntries(made);
  }
}

interface Reach extends Record<string, string> {
  readonly DNS_SERVERS: string;
  readonly ALLOWED_RECEIVERS: string;
}

/** Empty in AWS: the system's resolver and public receivers only. */
function addReach(stack: Stack, { name }: Settings): Reach {
  if (name !== "local") return { DNS_SERVERS: "", ALLOWED_RECEIVERS: "" };
  const receivers = "Loopback origins that may receive callbacks, separated by commas.";
  return {
    DNS_SERVERS: addParameter(stack, "DnsServers", "DNS servers, as host:port,host:port."),
    ALLOWED_RECEIVERS: addParameter(stack, "AllowedReceivers", receivers),
  };
}

/**
 * Whether Tenants set collecting accounts and connections by themselves: where there is a sandbox.
 * On this machine it can be tried without.
 */
export function addSelfService(stack: Stack, { name, sandboxHost }: Settings): string {
  if (name !== "local") return String(sandboxHost !== undefined);
  const description = "Whether Tenants set collecting accounts and connections by themselves.";
  return addParameter(stack, "SelfService", description, "true");
}

/** Where connected parties send to. Locally the port is known when the platform starts. */
export function addWebhookBaseUrl(stack: Stack, { name, webhookHost }: Settings): string {
  if (name !== "local") return `https://${webhookHost.hostName}/v2`;
  return addParameter(stack, "WebhookBaseUrl", "Base URL of the host that connected parties send to.");
}

function addParameter(stack: Stack, id: string, description: string, fallback = ""): string {
  return new CfnParameter(stack, id, { description, default: fallback }).valueAsString;
}
