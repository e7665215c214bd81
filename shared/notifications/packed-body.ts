import { deflateSync, inflateSync } from "node:zlib";

const deposit = {
  MsgType: "DEPOSIT",
  depositId: "dep_01",
  channel: "crypto",
  chain: null,
  asset: null,
  txHash: null,
  currencyCode: "840",
};

const hold = {
  MsgType: "HOLD",
  cif: "01",
  account: "01",
  transdate: "2026-",
  authId: "",
  cardnum: "400000******",
  status: "ACTIVE",
  currency: "840",
  hdate: "2026-",
  edate: "2026-",
  txncode: "1",
  txnExtDesc: "Authorization",
  txnIntDesc: "AUTHORIZATION",
  statusId: "1",
};

const settlement = {
  MsgType: "ACTTXN",
  txndate: "2026-",
  txntime: "",
  postdate: "2026-",
  postime: "",
  description: "",
  merchantId: "",
  merchantCity: "",
  merchantCountry: "",
  mcc: "",
  referenceCode: "01",
  txntimestamp: "2026-",
  term_id: null,
  acctCif: "01",
  srcCurrency: "840",
  txnMemo: null,
  source: "NETWORK",
  txncode: "30",
};

const numbers = { unique_row_id: 0, transactionStatus: null, balance: 0, srcAmount: 0, trace: 0 };

/** Never changes: stored bodies are read with it. What it lacks only packs less well. */
const dictionary = Buffer.from(
  [
    example({ ...deposit, amount: "0.00" }, "DEPOSIT_CLEARED", { ...deposit, amount: 0 }),
    example(
      { ...hold, trace: "", txntype: "00", msgtype: "0100", amount: "0.00", htime: "", etime: "" },
      "HOLD",
      { ...hold, trace: 0, txntype: 0, msgtype: 100, amount: 0, htime: 0, etime: 0 },
    ),
    example(
      { ...settlement, unique_row_id: "", transactionStatus: "3", balance: "", srcAmount: "", trace: "" },
      "ACTTXN",
      {
        ...settlement,
        ...numbers,
        merchantName: "",
        amount: 0,
        type: "DR",
        txnGroup: "PURCHASE",
        currencyCode: "840",
        currencyDesc: "USD",
        org_or_rev: "O",
        points: 0,
        rec_status: "A",
        poieligible: false,
        transactionStatusName: "POSTED",
        cardnum: "400000******",
        acctnum: "01",
      },
    ),
  ].join(""),
);

function example(data: object, cdcEvent: string, payload: object): string {
  return JSON.stringify({
    TransId_SC: "ntf_01",
    OriginalTransId_SC: "0",
    TransId_Issuer: "",
    CardId: "crd_01",
    CardToken: "tok_",
    CardholderId: "chd_01",
    DateCreated: "2026-",
    TransType: null,
    TransResult: null,
    TransAmount: 0,
    TransMerchantName: "",
    TransDate: "2026-",
    SpData: JSON.stringify({ ...data, OriginalDataFromSp: JSON.stringify({ cdcEvent, payload }) }),
  });
}

/** The window covers the dictionary and a body. Less memory is faster to set up. */
const options = { dictionary, windowBits: 13, memLevel: 6 };

/** A body in zlib's format, mostly under 500 bytes. Unpacks to the same bytes. */
export function packBody(body: string): Uint8Array {
  return deflateSync(body, options);
}

/** @throws Error for bytes that were packed with another dictionary, or changed */
export function unpackBody(packed: Uint8Array): string {
  return inflateSync(packed, { dictionary }).toString("utf8");
}
