import { expect, test } from "vitest";
import { Transaction } from "../../../../shared/adapters/marqeta/messages.ts";
import { toVerifying } from "../../../../shared/adapters/marqeta/verification.ts";

const read = (more: object) =>
  toVerifying(Transaction.parse({ token: "t", type: "authorization", state: "PENDING", ...more }));
const response = (code: string, memo = "") => ({ response: { code, memo } });
const code = (number: string, memo?: string) => ({ card_security_code_verification: response(number, memo) });
const address = (request: object, number: string) => ({
  address_verification: { request, issuer: response(number) },
});
const pos = (given: object) => ({ pos: given });
const threeDS = (authentication: object) => ({ cardholder_authentication_data: authentication });
const wallet = (more: object) => ({ digital_wallet_token: { token: "w", ...more } });
const street = { street_address: "12 Main Street", postal_code: "94107" };

test.each<[object, object, object?]>([
  [{}, {}],
  [code("0000"), { cvc: "match" }],
  [code("0001", "Card security code mismatch"), { cvc: "mismatch" }],
  [code("0002", "Not verified"), { cvc: "not_checked" }],
  [
    address(street, "0000"),
    { addressLine: "match", postalCode: "match" },
    { line1: "12 Main Street", postalCode: "94107" },
  ],
  [address({ postal_code: " 94107\u0000 " }, "0101"), {}, { postalCode: "94107" }],
  [
    pos({ card_data_input_capability: "CHIP_MAG_STRIPE", terminal_id: "T0001234" }),
    { entryCapability: "chip", terminalId: "T0001234" },
  ],
  [pos({ card_data_input_capability: "NO_TERMINAL" }), { entryCapability: "unknown" }],
  [pos({ is_installment: true }), { storedCredential: "installment" }],
  [pos({ is_recurring: true }), { recurring: true, storedCredential: "recurring" }],
  [
    threeDS({ electronic_commerce_indicator: "AUTHENTICATION_SUCCESSFUL", verification_result: "VERIFIED" }),
    { threeDS: "authenticated" },
  ],
  [
    threeDS({ authentication_status: "ATTEMPTED", verification_result: "VERIFIED" }),
    { threeDS: "attempted" },
  ],
  // A merchant claims it, and nobody has checked the proof: a control that requires it declines.
  [threeDS({ electronic_commerce_indicator: "AUTHENTICATION_SUCCESSFUL" }), {}],
  [threeDS({ authentication_status: "SUCCESSFUL", verification_result: "NOT_PROVIDED" }), {}],
  [threeDS({ authentication_status: "ATTEMPTED" }), {}],
  [threeDS({ authentication_status: "SUCCESSFUL", verification_result: "FAILED" }), { threeDS: "failed" }],
  [threeDS({ acquirer_exemption: ["LOW_VALUE_PAYMENT"] }), { threeDS: "exempted" }],
  [wallet({ token_service_provider: { token_requestor_name: "APPLE_PAY" } }), { wallet: "apple_pay" }],
  [wallet({}), { wallet: "other" }],
  // What has another form is left out: the purchase counts more.
  [{ address_verification: "none", card_security_code_verification: 7 }, {}],
])("of %o, it reads %o", (more, verification, billingAddress) => {
  const expected = {
    ...(Object.keys(verification).length > 0 && { verification }),
    ...(billingAddress && { billingAddress }),
  };
  expect(JSON.parse(JSON.stringify(read(more)))).toEqual(expected);
});
