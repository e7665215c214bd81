/**
 * What fields and codes are called: one word for one thing, whichever of its names a record, the
 * API or an audit log has for it. What is not here is made of the name itself.
 */
const labels: Readonly<Record<string, string>> = {
  ...{ cardStatus: "Issuance", issuerCardStatus: "Status", transStatus: "Status", state: "Status" },
  ...{ createdAt: "Created", dateCreated: "Created", createdDatetime: "Created", DateCreated: "Created" },
  ...{ changedAt: "Changed", dateChanged: "Changed", dateUpdated: "Changed" },
  ...{ doneAt: "Done", dateDone: "Done", dueAt: "Due", dueDate: "Due" },
  ...{ transType: "Type", transDate: "Occurred", type: "Debit or credit" },
  ...{ availableBalance: "Available", ledgerBalance: "Ledger", pendingDepositMinor: "Pending deposits" },
  ...{ transferredAmountMinor: "Transferred", transferredAmount: "Transferred" },
  ...{ requestedAmountMinor: "Requested", requestedAmount: "Requested" },
  ...{ outstandingMinor: "Still held", remainingAmount: "Still held" },
  ...{ authorizedAmount: "Authorized", releasedAmount: "Released", clearedAmount: "Cleared" },
  ...{ refundedAmount: "Refunded", returnedMinor: "Returned amount", creditedAmount: "Credited" },
  ...{ thresholdMinor: "Below", threshold: "Below" },
  ...{ dailyMaxMinor: "Daily maximum", dailyMax: "Daily maximum" },
  ...{ usedMinor: "Used of the day", usedToday: "Used of the day" },
  ...{ merchantName: "Merchant", mcc: "Merchant category", merchantCountry: "Merchant’s country" },
  ...{ merchantCity: "Merchant’s city", merchantId: "Merchant’s id", merchantLock: "Locked to a merchant" },
  ...{ cardHolderLastName: "Last name", cardForm: "Form", cardType: "Design" },
  ...{ relatedTransId: "Transaction id", transIdSc: "Notification id", TransId_SC: "Notification id" },
  ...{ eventType: "Webhook", eventTypes: "Webhooks", disputedType: "Type", feeType: "Fee" },
  ...{ reportKind: "Kind", threeDSecure: "3-D Secure", threeDS: "3-D Secure protocol" },
  ...{ creditorReference: "Payment reference", reference: "Sender’s reference" },
  ...{ relatedId: "Belongs to", subjectId: "Subject", cidr: "Addresses", isCut: "Cut off" },
  ...{ bodySha256: "SHA-256 of the body", sha256: "SHA-256" },
  ...{ entryId: "Id", entityId: "Id", auditId: "Audit entry" },
  ...{ dueDeadline: "Due", deadlineAt: "Deadline", creditDueAt: "Credit due" },
  ...{ blockedAt: "Blocked", cardholderBlockedAt: "Blocked with its Cardholder" },
  ...{ declineMessage: "Declined because", responseStatus: "Answered status" },
  ...{ latencyMs: "Latency (ms)", deadlineMs: "Deadline (ms)" },
  ...{ clearingDelaySeconds: "Clearing delay (s)", progressPercent: "Progress (%)" },
  ...{ endpointId: "Endpoint", webhookId: "Endpoint" },
  "walletTransactions.type": "Type",
  "payouts.reference": "Reference",
  "pulls.reference": "Reference",
  "paymentFiles.date": "Paid on",
  "scope.apiUserId": "API user",
  "shipping.status": "Shipping",
  ...{ "device.type": "Device", "lastStep.trigger": "Last step", "lastStep.by": "Last step by" },
  "liability.original": "Disputed at first",
  "decision.reason": "Reason of the decision",
};

/** Where the whole name says more than its last part. */
const codeNames: Readonly<Record<string, string>> = {
  authorization_clearing: "Clearing",
  authorization_incremental: "Increment",
  authorization_standin: "Stand-in authorization",
  authorization_declined: "Declined authorization",
  authorization_clearing_chargeback: "Dispute",
  authorization_clearing_chargeback_completed: "Dispute won",
  authorization_clearing_chargeback_provisional_credit: "Provisional credit",
  authorization_clearing_chargeback_provisional_debit: "End of a provisional credit",
  authorization_clearing_chargeback_reversal: "Reversal of a dispute",
  authorization_clearing_chargeback_writeoff: "Dispute written off",
  authorization_clearing_representment: "Representment",
  authorizationexpiry: "Expiry",
  authorization_reversal_issuerexpiration: "Expiry by the issuer",
  pindebit_atm_withdrawal: "Cash withdrawal",
  pindebit_cashback: "Cash back",
  pindebit_authorization_clearing: "Clearing of a withdrawal",
  pindebit_balanceinquiry: "Balance inquiry at a machine",
  balanceinquiry: "Balance inquiry",
  gpa_credit: "Deposit",
  gpa_credit_pending: "Pending deposit",
  gpa_credit_pending_reversal: "Reversal of a pending deposit",
  gpa_credit_reversal: "Return of a deposit",
  fee_charge: "Fee",
  fee_charge_pending: "Pending fee",
  fee_charge_reversal: "Reversal of a fee",
  returnreversal: "Reversal of a refund",
  completion: "Posted",
  complianceDecline: "Declined by compliance",
  adminDecline: "Declined by the operator",
  ...{ apple_pay: "Apple Pay", google_pay: "Google Pay", samsung_pay: "Samsung Pay" },
  CR: "Credit",
  DR: "Debit",
};

/** Written in capitals, or otherwise than a word of a name. */
const abbreviations: Readonly<Record<string, string>> = {
  ...{ kyc: "KYC", mcc: "MCC", url: "URL", iban: "IBAN", bic: "BIC", bin: "BIN", bins: "BINs", pin: "PIN" },
  ...{ atm: "ATM", avs: "AVS", ip: "IP", api: "API", csr: "CSR", cidr: "CIDR", otp: "OTP", eci: "ECI" },
  ...{ cvc: "CVC", cavv: "CAVV", jwe: "JWE", jwk: "JWK", xml: "XML", csv: "CSV", pdf: "PDF", cdc: "CDC" },
  ...{ usd: "USD", cad: "CAD", gbp: "GBP", eur: "EUR", cif: "CIF", sc: "SC" },
  ...{ gpa: "GPA", msa: "MSA", pindebit: "PIN debit", tx: "transaction", trans: "transaction", sp: "SP" },
  ...{ card: "Card", cards: "Cards", cardholder: "Cardholder", wallet: "Wallet", wallets: "Wallets" },
  ...{ program: "Program", programs: "Programs", tenant: "Tenant", alg: "algorithm", src: "merchant’s" },
};

/** What a field is called, by its name or the path to it, and by what has it. */
export function toLabel(name: string, kind = ""): string {
  const last = name.split(".").at(-1) ?? name;
  return labels[`${kind}.${name}`] ?? labels[name] ?? labels[last] ?? toWords(last);
}

/** What a code means, or a kind of deadline or entry is called. */
export function codeLabel(code: string): string {
  return codeNames[code] ?? toWords(code);
}

/** `cardHolderName` and `pending_customer` as words. */
function toWords(name: string): string {
  const parts = name
    .replaceAll(/^date(?=[A-Z])|Minor$/g, "")
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .split(/[\s_.:-]+/)
    .filter((part) => part !== "")
    .map((part) => part.toLowerCase())
    .map((part) => (Object.hasOwn(abbreviations, part) ? abbreviations[part] : part));
  const spaced = parts.join(" ");
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

/** How many there are: `1 entry`, `2,000 entries`. */
export function counted(many: number, one: string, more = `${one}s`): string {
  return `${many.toLocaleString("en")} ${many === 1 ? one : more}`;
}
