import { iso20022 } from "../../../../shared/adapters/iso20022/iso20022.ts";
import { expectBankConformance, type SampleDeposit } from "../../../harness/conformance/bank.ts";
import { amountOf, detailsOf, entryOf, notificationOf, refsOf, returnOf, textOf } from "./camt.ts";

const entryFor = ({ reference, amountMinor }: SampleDeposit, refs: string) =>
  entryOf(detailsOf(refs + amountOf((amountMinor / 100).toFixed(2)) + textOf(`Top-up ${reference}`)));

const fileOf = (deposits: readonly SampleDeposit[], isWithoutReference: (index: number) => boolean) =>
  notificationOf(
    deposits[0]?.account ?? "",
    ...deposits.map((one, index) =>
      entryFor(one, isWithoutReference(index) ? "" : refsOf(one.bankReference)),
    ),
  );

expectBankConformance({
  adapter: iso20022,
  deposits: (deposits) => fileOf(deposits, () => false),
  depositsWithFault: (deposits, at) => fileOf(deposits, (index) => index === at),
  returned: (bankReference) => returnOf(`<OrgnlTxId>${bankReference}</OrgnlTxId>`),
  announced: (eventId, { bankReference, reference, amountMinor: amount }) =>
    JSON.stringify({ type: "deposit.announced", eventId, bankReference, reference, amount, currency: "USD" }),
  returnedMessage: (eventId, bankReference) =>
    JSON.stringify({ type: "deposit.returned", eventId, bankReference }),
});
