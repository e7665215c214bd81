import { iso20022 } from "../../../../shared/adapters/iso20022/iso20022.ts";
import { expectBankConformance, type SampleDeposit } from "../../../harness/conformance/bank.ts";
import { amountOf, detailsOf, entryOf, notificationOf, refsOf, returnOf, textOf } from "./camt.ts";

const entryFor = ({ bankReference, reference, amountMinor }: SampleDeposit) => {
  const amount = amountOf((amountMinor / 100).toFixed(2));
  return entryOf(detailsOf(refsOf(bankReference) + amount + textOf(`Top-up ${reference}`)));
};

const fileOf = (deposits: readonly SampleDeposit[], hasFault: (index: number) => boolean) =>
  notificationOf(
    deposits[0]?.account ?? "",
    ...deposits.map((one, index) => (hasFault(index) ? entryFor(one).replace("CRDT", "") : entryFor(one))),
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
