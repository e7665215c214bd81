import { NetworkSettings } from "../../infra/constructs/network/network-settings.ts";
import { settingsOf } from "../../infra/environments.ts";
import { synthesized } from "./synthesized.ts";

const asked = {
  dialect: "visa",
  sources: ["10.200.0.0/24", "10.201.0.16/28"],
  clients: ["visa-ep1"],
  certificateSecretArn: "arn:aws:secretsmanager:eu-west-1:444455556666:secret:listener-AbCdEf",
  attachment: { transitGatewayId: "tgw-0a1b2c3d4e5f60718" },
  silentMinutes: 15,
} as const;

/** Production, if it asked for a listener. */
export function networkSettings(more: object = {}) {
  return { ...settingsOf("production"), network: NetworkSettings.parse({ ...asked, ...more }) };
}

export function synthesizedNetwork(more: object = {}) {
  const templates = synthesized("production", networkSettings(more));
  if (templates.network === undefined) throw new Error("There is no listener.");
  return { templates, network: templates.network };
}
