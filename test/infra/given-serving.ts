import { type EnvironmentName, readSettings, type Settings } from "../../infra/environments.ts";

export const regionThere = "eu-central-1";

/** An environment that serves in a second region too. */
export function servingSettings(name: EnvironmentName, writes: "first" | "second" = "first"): Settings {
  const settings = readSettings(name);
  const certificate = `arn:aws:acm:${regionThere}:${settings.account}:certificate/00000000-0000-4000-8000-000000000009`;
  const serves = {
    platformCertificateArn: certificate,
    webhookCertificateArn: certificate,
    ...(settings.sandboxHost && { sandboxCertificateArn: certificate }),
  };
  return { ...settings, secondRegion: { region: regionThere, hasReplicas: true, writes, serves } };
}
