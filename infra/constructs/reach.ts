import { CfnParameter, type Stack } from "aws-cdk-lib";
import type { Settings } from "../environments.ts";

/** Environment variables: DNS servers, and receivers that need not be public. */
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
      ? parameter("DnsServers", "DNS servers to ask, as host:port,host:port.")
      : "",
    ALLOWED_RECEIVERS: settings.receiversParameter
      ? parameter("AllowedReceivers", "Origins on loopback to which callbacks may go, separated by commas.")
      : "",
  };
}
