import type { Fault } from "../contract/errors.ts";
import { findReceiver } from "./receiver.ts";
import { urlRefusals } from "./receiver-url.ts";

/**
 * Why a URL is not taken as a receiver of callbacks, as a fault at `path`; undefined where it is taken. A name that nobody knows is: it may
 * come to be, and every sending checks again.
 */
export async function receiverFault(url: string, path: string): Promise<Fault | undefined> {
  const found = await findReceiver(url);
  if (!("refusal" in found) || found.refusal === "NAME_NOT_RESOLVED") return undefined;
  const { refusal } = found;
  const message =
    refusal === "ADDRESS_NOT_PUBLIC" ? "must name a host with public addresses" : urlRefusals[refusal];
  return { path, code: refusal.toLowerCase(), message };
}
