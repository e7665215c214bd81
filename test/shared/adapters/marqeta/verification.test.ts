import { expect, test } from "vitest";
import { Transaction } from "../../../../shared/adapters/marqeta/messages.ts";
import { toVerifying } from "../../../../shared/adapters/marqeta/verification.ts";

const read = (more: object) =>
  toVerifying(Transaction.parse({ token: "t", type: "authorization", state: "PENDING", ...more }));
const address = { street_address: "12 Main Street", postal_code: "94107" };
const response = (code: string, memo = "") => ({ response: { code, memo } });

test.each<[object, object]>([
  [{}, {}],
  [{ card_security_code_verification: response("0000") }, { verification: { cvc: "match" } }],
  [
    { card_security_code_verification: response("0001", "Card security code mismatch") },
    { verification: { cvc: "mismatch" } },
  ],
  [
    { card_security_code_verification: response("0002", "Not verified") },
    { verification: { cvc: "not_checked" } },
  ],
  [
    { address_verification: { request: address, issuer: response("0000") } },
    {
      verification: { addressLine: "match", postalCode: "match" },
      billingAddress: { line1: "12 Main Street", postalCode: "94107" },
    },
  ],
  [
    { address_verification: { request: { postal_code: " 94107\u0000 " }, issuer: response("0101") } },
    { billingAddress: { postalCode: "94107" } },
  ],
  [
    { pos: { card_data_input_capability: "CHIP_MAG_STRIPE", terminal_id: "T0001234" } },
    { verification: { entryCapability: "chip", terminalId: "T0001234" } },
  ],
  [{ pos: { card_data_input_capability: "NO_TERMINAL" } }, { verification: { entryCapability: "unknown" } }],
  [{ pos: { is_installment: true } }, { verification: { storedCredential: "installment" } }],
  [{ pos: { is_recurring: true } }, { verification: { recurring: true, storedCredential: "recurring" } }],
  [
    {
      cardholder_authentication_data: {
        ...{ electronic_commerce_indicator: "AUTHENTICATION_SUCCESSFUL", verification_result: "VERIFIED" },
      },
    },
    { verification: { threeDS: "authenticated" } },
  ],
  [
    {
      cardholder_authentication_data: { authentication_status: "ATTEMPTED", verification_result: "VERIFIED" },
    },
    { verification: { threeDS: "attempted" } },
  ],
  // A merchant claims it, and nobody has checked the proof: a control that requires it declines.
  [{ cardholder_authentication_data: { electronic_commerce_indicator: "AUTHENTICATION_SUCCESSFUL" } }, {}],
  [
    {
      cardholder_authentication_data: {
        authentication_status: "SUCCESSFUL",
        verification_result: "NOT_PROVIDED",
      },
    },
    {},
  ],
  [{ cardholder_authentication_data: { authentication_status: "ATTEMPTED" } }, {}],
  [
    {
      cardholder_authentication_data: { authentication_status: "SUCCESSFUL", verification_result: "FAILED" },
    },
    { verification: { threeDS: "failed" } },
  ],
  [
    { cardholder_authentication_data: { acquirer_exemption: ["LOW_VALUE_PAYMENT"] } },
    { verification: { threeDS: "exempted" } },
  ],
  [
    { digital_wallet_token: { token: "w", token_service_provider: { token_requestor_name: "APPLE_PAY" } } },
    { verification: { wallet: "apple_pay" } },
  ],
  [{ digital_wallet_token: { token: "x" } }, { verification: { wallet: "other" } }],
  // What has another form is left out: the purchase counts more.
  [{ address_verification: "none", card_security_code_verification: 7 }, {}],
])("of %o, it reads %o", (more, expected) => {
  const found = read(more);
  expect(JSON.parse(JSON.stringify(found))).toEqual(expected);
});
