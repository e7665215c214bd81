import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { type KeyProps, KeySpec, KeyUsage } from "aws-cdk-lib/aws-kms";
import type { Construct } from "constructs";
import {
  type PaymentCryptographyKeys,
  paymentCryptographyCalls,
} from "../../shared/contract/payment-cryptography.ts";
import type { Settings } from "../environments.ts";
import { functionArn } from "./arns.ts";
import { KeptKey } from "./kept-key.ts";
import type { ServiceFunction } from "./service-function.ts";
import { denyAllButVault } from "./vault-only.ts";

interface Purpose {
  readonly description: string;
  readonly props: KeyProps;
  /** What the vault calls. */
  readonly used: readonly string[];
  /** What else would open or forge what the key protects. */
  readonly alsoDenied?: readonly string[];
}

const mac = {
  props: { keySpec: KeySpec.HMAC_256, keyUsage: KeyUsage.GENERATE_VERIFY_MAC },
  used: ["kms:GenerateMac"],
  alsoDenied: ["kms:VerifyMac"],
};

/** One purpose each, so that the answer of one key says nothing about another's secrets. */
const purposes = {
  NumberKey: {
    description: "Encrypts the data key of each card number and bank account",
    props: { enableKeyRotation: true },
    used: ["kms:Decrypt", "kms:GenerateDataKey"],
    alsoDenied: [
      "kms:Encrypt",
      "kms:GenerateDataKeyWithoutPlaintext",
      "kms:ReEncryptFrom",
      "kms:ReEncryptTo",
    ],
  },
  NumberIndexKey: {
    description: "Hashes card numbers and bank accounts, by which each is found again",
    ...mac,
  },
  AccountUpdateKey: { description: "Hashes card numbers in the account updates for merchants", ...mac },
  CvvKey: { description: "Hashes wrong card verification codes", ...mac },
  CavvKey: { description: "Proves authentications by 3-D Secure", ...mac },
  DeviceKey: {
    description: "Agrees on a key with the device that encrypts a PIN",
    props: { keySpec: KeySpec.ECC_NIST_P256, keyUsage: KeyUsage.KEY_AGREEMENT },
    used: ["kms:DeriveSharedSecret", "kms:GetPublicKey"],
  },
} as const satisfies Record<string, Purpose>;

export type VaultKeyName = keyof typeof purposes;
export const vaultKeyNames = Object.keys(purposes) as VaultKeyName[];

/** A key whose secret never leaves KMS, and which only the vault function's role may use. */
export class VaultKey extends KeptKey {
  constructor(scope: Construct, name: VaultKeyName, settings: Pick<Settings, "name" | "secondRegion">) {
    const purpose: Purpose = purposes[name];
    super(scope, name, {
      description: `${purpose.description} (card issuing platform, ${settings.name}).`,
      ...purpose.props,
    });
    const readable = (action: string) => action === "kms:GetPublicKey";
    const served = purpose.used.filter((action) => !readable(action));
    this.addToResourcePolicy(denyAllButVault(this, settings, [...served, ...(purpose.alsoDenied ?? [])]));
  }
}

export function grantVaultKey(vault: ServiceFunction, name: VaultKeyName, keyArn: string) {
  grantToVault(vault, [...purposes[name].used], [keyArn]);
}

/** Its environment's keys of AWS Payment Cryptography, if it has any. */
export function grantPaymentCryptography(vault: ServiceFunction, keys: PaymentCryptographyKeys | undefined) {
  if (keys === undefined) return;
  const { cardKeys, cavvKeys = [], pinVerificationKeys, servicePinKey, networkPinKeys } = keys;
  const arns = [
    ...cardKeys,
    ...cavvKeys,
    ...pinVerificationKeys,
    servicePinKey,
    ...Object.values(networkPinKeys),
  ];
  const actions = paymentCryptographyCalls.map((call) => `payment-cryptography:${call}`);
  grantToVault(vault, actions, arns);
}

/** Only from within that function: another one with its role, or a person, can use no key. */
function grantToVault(vault: ServiceFunction, actions: string[], resources: string[]) {
  const conditions = { ArnEquals: { "lambda:SourceFunctionArn": functionArn(vault, vault.name) } };
  vault.role?.addToPrincipalPolicy(new PolicyStatement({ actions, resources, conditions }));
}
