import { type IGrantable, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { KeySpec, KeyUsage } from "aws-cdk-lib/aws-kms";
import type { Construct } from "constructs";
import type { Settings } from "../environments.ts";
import { denyAllBut, roleArn } from "./arns.ts";
import { KeptKey } from "./kept-key.ts";
import { certificatesFunctionName } from "./names.ts";
import { roleNames } from "./second-region-settings.ts";

/**
 * A certificate authority's private key, which never leaves KMS. Only the certificates function's
 * role may sign. The role is named, so that this kept stack depends on no replaceable one.
 */
export class AuthorityKey extends KeptKey {
  constructor(scope: Construct, name: string, settings: Pick<Settings, "name" | "secondRegion">) {
    super(scope, `AuthorityKey${name}`, {
      description: `Signs clients' certificates of the card issuing platform (${settings.name}, ${name}).`,
      keySpec: KeySpec.ECC_NIST_P256,
      keyUsage: KeyUsage.SIGN_VERIFY,
    });
    const signers = roleNames(settings, certificatesFunctionName(settings.name));
    const roles = signers.map((role) => roleArn(this, role));
    this.addToResourcePolicy(denyAllBut(roles, "SignsForTheCertificatesFunctionAlone", ["kms:Sign"]));
  }
}

export function grantSignCertificates(keyArn: string, { grantPrincipal }: IGrantable) {
  const asUsed = { "kms:SigningAlgorithm": "ECDSA_SHA_256", "kms:MessageType": "DIGEST" };
  const resources = [keyArn];
  grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({ actions: ["kms:Sign"], resources, conditions: { StringEquals: asUsed } }),
  );
  grantPrincipal.addToPrincipalPolicy(new PolicyStatement({ actions: ["kms:GetPublicKey"], resources }));
}
