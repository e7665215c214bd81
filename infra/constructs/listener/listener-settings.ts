import * as z from "zod";

const range = z.cidrv4();

/** How the card network's private line gets into the listener's VPC. */
const Attachment = z.union([
  /** A transit gateway, which this account owns or shares. */
  z.strictObject({ transitGatewayId: z.string().regex(/^tgw-[0-9a-f]{8,17}$/) }),
  /** A gateway of the VPC's own, for a VPN or Direct Connect; its connection is made elsewhere. */
  z.strictObject({ gatewayAsn: z.int().min(64_512).max(65_534) }),
  /** Another VPC of the account and region, in which the line ends. */
  z.strictObject({ peerVpcId: z.string().regex(/^vpc-[0-9a-f]{8,17}$/) }),
]);

/** The listener for a card network's ISO 8583 messages. */
export const ListenerSettings = z.strictObject({
  dialect: z.enum(["default", "mastercard", "visa"]),
  /** The addresses from which the network connects. */
  sources: z.array(range).min(1).max(20),
  /**
   * Common names of the network's client certificates. Their CA must be in the truststore:
   * `infra/truststore/<environment>.pem`.
   */
  clients: z.array(z.string().regex(/^[\w.*-]+( [\w.*-]+)*$/)).min(1),
  /**
   * A secret in Secrets Manager with the listener's `certificate` and `privateKey`, both PEM. What
   * is written into it later is in use within a quarter of an hour.
   */
  certificateSecretArn: z.string().regex(/^arn:aws:secretsmanager:[a-z0-9-]+:\d{12}:secret:[\w/+=.@-]+$/),
  /** The VPC has a range that nothing else on the network's line has. */
  vpcRange: range.default("10.83.0.0/24"),
  attachment: Attachment,
  /** Each of two zones has so many. */
  listenersPerZone: z.int().min(1).max(20).default(1),
  /** How many may be under way at once in a listener. */
  messagesInFlight: z.int().min(1).max(10_000).default(256),
  /** An alarm if no message comes for so long. Without it, silence is no alarm. */
  silentMinutes: z.int().min(5).max(1_440).multipleOf(5).optional(),
});
export type ListenerSettings = z.output<typeof ListenerSettings>;
