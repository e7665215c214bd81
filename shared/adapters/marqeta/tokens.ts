import { defined } from "../../platform/pick.ts";
import { type TokenDetails, walletOfRequestor } from "../tokens.ts";
import type { DigitalWalletToken } from "./messages.ts";
import { toReference } from "./references.ts";

const risks: Readonly<Record<string, TokenDetails["risk"]>> = {
  DECISION_GREEN: "green",
  DECISION_YELLOW: "yellow",
  DECISION_RED: "red",
};

/** What a request for a token says of it. Details that do not fit are left out. */
export function toTokenDetails({ token, token_service_provider: provider, device }: DigitalWalletToken) {
  const requestorId = fitting(provider?.token_requestor_id, 32) ?? "unknown";
  const requestorName = fitting(provider?.token_requestor_name, 64);
  const [tokenLastFour] = /\d{4}$/.exec(provider?.token_pan ?? "") ?? [];
  const risk = risks[provider?.token_eligibility_decision ?? ""];
  return {
    wallet: walletOfRequestor(requestorId),
    requestorId,
    tokenReference: toReference(token),
    ...defined({ requestorName, tokenLastFour, device: device && toDevice(device), risk }),
  };
}

const deviceTypes: Readonly<Record<string, NonNullable<TokenDetails["device"]>["type"]>> = {
  MOBILE_PHONE: "phone",
  MOBILE_PHONE_OR_TABLET: "phone",
  TABLET: "tablet",
  WATCH: "watch",
};

function toDevice(device: NonNullable<DigitalWalletToken["device"]>): TokenDetails["device"] {
  const parts = defined({
    id: fitting(device.device_id, 64),
    name: fitting(device.name, 64),
    language: fitting(device.language_code, 35),
    ip: fitting(device.ip_address, 45),
  });
  return { type: deviceTypes[device.type ?? ""] ?? "other", ...parts };
}

function fitting(value: string | undefined, longest: number): string | undefined {
  const clean = value?.replace(/[\p{Cc}\p{Cs}]/gu, " ").trim() ?? "";
  return clean === "" || clean.length > longest ? undefined : clean;
}

/** What a wallet did with a token. A first activation is none: its request was decided. */
export function toNotice(state: string, type?: string): "suspend" | "resume" | "delete" | undefined {
  if (state === "SUSPENDED") return "suspend";
  if (state === "TERMINATED") return "delete";
  return type === "state.reinstated" ? "resume" : undefined;
}
