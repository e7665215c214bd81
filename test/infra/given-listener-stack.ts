import { ListenerSettings } from "../../infra/constructs/listener/listener-settings.ts";
import { readSettings } from "../../infra/environments.ts";
import { synthesized } from "./synthesized.ts";

const asked = {
  dialect: "visa",
  sources: ["10.200.0.0/24", "10.201.0.16/28"],
  clients: ["visa-ep1"],
  certificateSecretArn: "arn:aws:secretsmanager:eu-west-1:444455556666:secret:listener-AbCdEf",
  attachment: { transitGatewayId: "tgw-0a1b2c3d4e5f60718" },
  silentMinutes: 15,
} as const;

const arn = (name: string) => `arn:aws:payment-cryptography:eu-west-1:444455556666:key/${name}`;

/** What no environment asks for, and production may: beside a listener. */
export const askable = {
  silence: { requests: 15, authorizations: 60 },
  webhookSenders: { perSecond: 100, ranges: ["192.0.2.0/24", "198.51.100.7/32"] },
  cardKeyIndex: 2,
  paymentCryptography: {
    cardKeys: [arn("card1"), arn("card2")],
    cavvKeys: [arn("cavv1")],
    pinVerificationKeys: [arn("pin1"), arn("pin2")],
    servicePinKey: arn("service"),
    networkPinKeys: { format0: arn("zone") },
  },
};

/** Production, if it asked for a listener. */
export function listenerSettings(more: object = {}) {
  return { ...readSettings("production"), listener: ListenerSettings.parse({ ...asked, ...more }) };
}

/** Production, if it asked for all that there is. */
export const askingForAll = () => synthesized("production", { ...listenerSettings(), ...askable });

export function synthesizedListener(more: object = {}) {
  const isUsual = Object.keys(more).length === 0;
  const templates = isUsual ? askingForAll() : synthesized("production", listenerSettings(more));
  if (templates.listener === undefined) throw new Error("There is no listener.");
  return { templates, listener: templates.listener };
}
