import { ListenerSettings } from "../../infra/constructs/listener/listener-settings.ts";
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
export function listenerSettings(more: object = {}) {
  return { ...settingsOf("production"), listener: ListenerSettings.parse({ ...asked, ...more }) };
}

export function synthesizedListener(more: object = {}) {
  const templates = synthesized("production", listenerSettings(more));
  if (templates.listener === undefined) throw new Error("There is no listener.");
  return { templates, listener: templates.listener };
}
