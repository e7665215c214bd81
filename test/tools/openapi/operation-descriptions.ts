/** By operation id: what its summary leaves open, such as what it refuses and what to call next. */
export const operationDescriptions: Readonly<Record<string, string>> = {
  cardholders_listCardholders:
    "`externalId`, `email` and `phone` take the whole value. `name` takes the start of the last name, the first name or both, blind for case and accents. Deleted Cardholders are included.",
  cardholders_createCardholder:
    "The person or sole name that Cards are issued to. A Draft can be changed freely; submit it to have it reviewed. One legal name alone goes into `lastName` or `firstName`.",
  cardholders_viewCardholder:
    "Shows the compliance status and the whole record, also of a deleted one. A record of another Program is 404.",
  cardholders_updateCardholder:
    "Send the fields that change; `null` removes an optional one. While a review is under way or after an approval, some fields are locked: 409 `LOCKED_FIELDS` names them.",
  cardholders_deleteCardholder:
    "Possible once all Cards of the Cardholder are closed: else 409 `CARDS_NOT_CLOSED`.",
  cardholders_submitCardholder:
    "Hands the Cardholder to the compliance provider. Its decision comes later and changes `status`; in the sandbox you make it with `kyc-outcome`.",
  cardholders_registerWalletAddress:
    "Kept for older clients. It changes nothing: every Card has deposit addresses in `cryptoAddresses`.",
  cards_listCards: "The Cards of the Program, each with its masked number.",
  cards_issueCard:
    "Needs an approved Cardholder and an approved card design. Controls, a first load, an expiry, a BIN and a single use can be chosen with it, all or nothing: where one cannot be met, no Card is issued.",
  cards_viewCard:
    "Number, expiry and shipping are those of the active plastic. `blocked` is a stop by the platform, beside the Card's own status.",
  cards_updateCard:
    "Changes `externalId` and `metadata` alone. Both are the caller's, and change nothing of how the Card pays.",
  cards_viewStatus: "The status alone, for callers that poll it.",
  cards_changeStatus:
    "A Card that is on hold declines new purchases. Clearings, refunds and reversals still post.",
  cards_activateCard:
    "Takes the last four digits and the expiry of the plastic that has arrived. It also activates a replacement that is on its way.",
  cards_closeCard:
    "For good. Announced deposits are cancelled. Money on the Card goes to the Wallet `sweepToWalletId`; a negative balance is paid by the Program's reserve. Open holds, other pending deposits, or money without a Wallet to go to: 409 `CARD_NOT_EMPTY`.",
  cards_unloadCard:
    "Works on a Closed Card too. Declined for want of money, it answers 200 with `transStatus` 2 and a `declineReason`.",
  cards_viewBalance:
    "`availableBalance` is what can be spent; `ledgerBalance` is what is posted. All in minor units. Of a Card that spends from a Wallet, they are the Wallet's.",
  cards_depositOnCard:
    "Announces money that is to come from a bank. The bank's report claims the announcement and adds nothing to it. With a sandbox, it clears by itself after the Program's `clearingDelaySeconds`.",
  cards_notifyDeposit:
    "Kept for older clients. It changes nothing: deposits are seen on the chain without a notification.",
  cards_revealCard:
    "Send a public key that the Cardholder's device has made for this one call: number, expiry and code come encrypted for it. A key that was used is 409 `KEY_USED`.",
  cards_setPin:
    "The device encrypts the PIN for the key of `GET /vault/key`. The same encrypted text counts once: 409 `NONCE_USED`. A PIN belongs to a number, so a lost or stolen card's replacement has none at first.",
  cards_viewVaultKey: "The public key for which a device encrypts a PIN.",
  cards_listPlastics:
    "Each number or expiry that the Card has had, the first one first. A Card is the account: its balance, controls and history are the same under each plastic.",
  cards_replaceCard:
    "Lost or stolen: the old number stops at once and for good, and the new plastic has another number. Damaged: the number stays, and the old plastic works until the new one is activated, or until `activateBy`. A virtual one is active at once.",
  cards_renewCard:
    "The number and the PIN stay, expiry and code are new. The old plastic works until the new one is activated, or until `activateBy`. A virtual one is active at once.",
  cards_pushProvision:
    "For an app that adds the Card to Apple Pay, Google Pay or Samsung Pay. Number and expiry are encrypted for the wallet's certificate: neither your app nor your server sees them.",
  cards_listAccountUpdates:
    "Numbers that were replaced, later expiries, and Cards that were closed. Numbers are hashes. No network takes them in this shape.",
  bulk_createCardholders:
    "Up to 10,000 JSON lines and 5 MB, each line the body of `POST /cardholders`. They are done in the background, each with a result of its own; a bad line fails alone. `externalId` is required, and makes a file safe to repeat.",
  bulk_issueCards:
    "Up to 10,000 JSON lines and 5 MB, each line the body of `POST /cards`, with `cardholderExternalId` in place of `cardholderId` if you like. They are done in the background; a bad line fails alone. `externalId` is required, and makes a file safe to repeat.",
  bulk_listBulks: "Bulks of the last 400 days, with how far each is.",
  bulk_viewBulk:
    "`lines` are those of the file, `done` those with a result. It is complete at the `status` `done`.",
  bulk_listResults:
    "What became of each line: the new id, `duplicate` with the id of what was there, or the error that its own request would have had. Filter by `status` for those that failed.",
  cards_listTransactions:
    "One line stands for all open holds of the Cards that are asked for; single holds are in `GET /authorizations`. Declined ones are shown by a filter, such as `transStatus=4`.",
  cards_listFees: "Each names the transaction that caused it as `relatedTransId`, if there is one.",
  cards_proveBalance:
    "Adds up the Card's journal and its open holds, and compares the sums with the balances that are stored. `proven` is true if all agree.",
  cards_matchCardHolds:
    "Pairs each hold with its settlement by amount and date, as a receiver of notifications can, and scores the rules by what the platform knows.",
  cards_listAuthorizations:
    "Each purchase that a network asked about, declined ones too. Its amounts are sums over its events; `remainingAmount` is what it still holds.",
  cards_viewAuthorization:
    "With its newest 100 events: increments, reversals, clearings, expiry. A decline has its reason as a code and as a sentence.",
  cards_listAuthorizationEvents: "All events, for an authorization that has more than 100.",
  wallets_listWallets: "The Program's Wallets with their balances. Each Program has one from the start.",
  wallets_createWallet:
    "An account of the Program's own money, in the Program's currency. A new one is empty.",
  wallets_viewWallet: "With its balances in minor units.",
  wallets_updateWallet: "Name, `externalId` and `metadata`. None changes what the Wallet can do.",
  wallets_proveBalance:
    "Adds up the Wallet's journal and compares the sum with the balances that are stored. `proven` is true if all agree.",
  wallets_listTransfers: "Loads, unloads, sweeps and moves between Wallets, declined ones too.",
  wallets_listWalletTransactions:
    "Every change of the Wallet's `ledgerBalance`, with a sign. The amounts add up to it.",
  wallets_transfer:
    "`destinationType` 0 is a Wallet, 1 a Card. Look at `transStatus`: a transfer that lacks money answers 200 with 2 and a `declineReason`. With `allowPartial` it moves what is there (3).",
  wallets_depositInWallet:
    "Announces money that is to come from a bank. The bank's report claims the announcement and adds nothing to it. With a sandbox, it clears by itself after the Program's `clearingDelaySeconds`.",
  wallets_notifyDeposit:
    "Kept for older clients. It changes nothing: deposits are seen without a notification.",
  wallets_searchWallets:
    "By the start of the `name`, blind for case and accents, or by the whole `externalId`.",
  wallets_listAllTransfers:
    "By `sourceWalletId`, `sourceCardId` or `destinationId`, by `transStatus`, `externalId`, amount and time.",
  wallets_viewTransfer: "With its final amount and, if it was declined, the reason.",
  wallets_updateTransfer: "Changes `externalId` and `metadata` alone.",
  wallets_listDeposits: "By `walletId`, `cardId`, `status`, `channel`, `externalId`, amount and time.",
  wallets_viewDeposit:
    "Its status, amount, account and, of an announced one, what payer and bank have to name.",
  wallets_cancelDeposit:
    "Takes back the announcement of a bank deposit. One that has come is 409 `ILLEGAL_TRANSITION`.",
  ledger_exportBooks:
    "Every posting of a day in the Program's time zone, as `hledger` or CSV. A day can be exported a minute after its end: before, 409 `DAY_NOT_CLOSED`.",
  reports_createReport:
    "`from` is included and `to` is not; a date begins at midnight in the Program's time zone. The report is made in the background: ask for it until its `status` is `done`.",
  reports_listReports: "Reports of the last 400 days, by `kind`, `status` or `scheduleId`.",
  reports_viewReport:
    "Once it is `done`, `url` has the file for 15 minutes, without certificate and key. Ask again for a new URL.",
  reports_createSchedule:
    "The first span is the one under way. Each report is made two minutes after the end of its span. A Program has at most 20 schedules.",
  reports_listSchedules: "With the span of the next report of each.",
  reports_viewSchedule: "`next` is the span of the next report.",
  reports_deleteSchedule: "Reports that were made stay.",
  reports_viewVolumes:
    "Counts and sums by day, merchant category, status, or several of them, at once. Rows add up to `total`. `format=html` is a page with plots.",
  settlements_viewSettlement:
    "Compares what the network has settled on a day with the ledger and with what webhooks delivered, and lists what is missing, doubled or different. A long day answers `running` first: ask again.",
  statements_listCardMonths: "Newest first. A month before the Card was issued is not among them.",
  statements_viewCardStatement:
    "`format` or `Accept` chooses JSON, CSV, PDF or camt.053. A closed month is the same bytes whenever it is asked for. A long one is made in the background: ask again until `done`.",
  statements_listWalletMonths: "Newest first. A month before the Wallet was created is not among them.",
  statements_viewWalletStatement:
    "`format` or `Accept` chooses JSON, CSV, PDF or camt.053. A closed month is the same bytes whenever it is asked for. A long one is made in the background: ask again until `done`.",
  cards_viewFunding:
    "The Wallet, if it spends from one, what it may still spend, and what it holds there, in minor units.",
  cards_putFunding:
    "With a Wallet, later holds and postings are the Wallet's; `null` goes back to the Card's own balance. Open holds stay where they were placed. Own money on the Card is 409 `CARD_NOT_EMPTY`, unless `moveBalance`.",
  cards_putTopUp:
    "When the available balance falls below `threshold`, `amount` moves from the Wallet within seconds, at most `dailyMax` a day if that is given. It replaces an earlier one whole.",
  cards_viewTopUp: "With what has moved today, and in `lackedAt` when the Wallet lacked the money.",
  cards_deleteTopUp: "What has moved stays.",
  payouts_listPayouts: "By `walletId`, `externalAccountId`, `status` or `externalId`.",
  payouts_createPayout:
    "The Wallet holds amount and fee from then on. Look at `transStatus`: one that lacks money or is above a limit answers 200 with 2 and a `declineReason`. It goes to the bank with the next file.",
  payouts_viewPayout: "Its status, the bank's reason, and the file that it is in.",
  payouts_listPayoutEvents: "Each status with its time, who brought it, and the bank's reason.",
  payouts_cancelPayout:
    "While no file has it: later, 409 `ILLEGAL_TRANSITION`. Amount and fee are free again.",
  payouts_approvePayout:
    "By another API user than its creator: else 403 `SECOND_PERSON`. 72 hours without an approval decline it.",
  payouts_declinePayout: "Amount and fee are free again.",
  payouts_createMandate:
    "The holder has signed that you may pull. The first pull of a mandate is told to the bank as `first`.",
  payouts_listMandates: "Cancelled ones too.",
  payouts_viewMandate: "Its reference at the bank, and whether the next pull is the first.",
  payouts_cancelMandate: "What was sent to the bank goes on.",
  payouts_listPulls: "By `walletId`, `externalAccountId`, `status` or `externalId`.",
  payouts_createPull:
    "Nothing moves before the bank has collected it. Then it is a pending deposit, and available after the Program's `holdDays`, of days on which banks settle. One above a limit answers 200 with `transStatus` 2 and a `declineReason`.",
  payouts_viewPull: "Its status, its deposit, from when it is available and until when it can go back.",
  payouts_listPullEvents: "Each status with its time, who brought it, and the bank's reason.",
  payouts_cancelPull: "While no file has it: later, 409 `ILLEGAL_TRANSITION`.",
  sandbox_reportPayout:
    "A pending one is sent first. A return may be of less than was paid, by what the bank charged.",
  sandbox_makePaymentFiles: "Answers each file with its XML: pain.001 for payouts, pain.008 for pulls.",
  sandbox_reportPull: "A pending one is sent first.",
  controls_createControl:
    "For one Card, all Cards of a Cardholder, or the Program. All its rules apply together; at least one is needed. With `state` `draft` it declines nothing until it is activated. At most ten apply to a Card.",
  controls_listControls: "Drafts are among them; deleted ones are not.",
  controls_viewControl: "Its rules, its scope, and whether it is a draft or in force.",
  controls_replaceControl:
    "A rule that you leave out is removed; `externalId` and `metadata` stay. A new limit applies to what the window has counted. A new window, or a `velocity`, `singleUse` or `merchantLock` that was not there before, counts from the change on.",
  controls_deleteControl: "It is gone: no filter finds it, and its `externalId` is free.",
  controls_viewUsage: "Amount and count in the current window, and what is left of each.",
  controls_listCounted: "Each with what it adds. They add up to the usage.",
  controls_activateControl:
    "From the answer on, it is in force. More than ten that apply to a Card: 409 `LIMIT_REACHED`.",
  controls_putAuthorizationEndpoint:
    "Your server is asked about authorizations, increments and cash withdrawals that Card, balance and controls permit. If it gives no valid answer within `deadlineMs` milliseconds, `standIn` decides. The answer has the secret only when the endpoint is new.",
  controls_viewAuthorizationEndpoint: "With its deadline and stand-in, and without its secret.",
  controls_deleteAuthorizationEndpoint: "From the answer on, the platform decides alone again.",
  controls_rotateAuthorizationSecret:
    "For 24 hours, questions have a signature by the new and one by the replaced secret.",
  controls_pingAuthorizationEndpoint:
    "Answers what your server answered, in how many milliseconds, and what is wrong with it. Nothing is booked.",
  controls_viewDecision:
    "Who decided, whether your server answered, in how many milliseconds, and why it did not count if it did not.",
  controls_simulateControl:
    "Decides the last 1 to 90 days again with this control in force, and lists what it would have declined. Nothing is changed. A long one answers `running` with a `simulationId`.",
  controls_viewSimulation: "Its progress and, for seven days, its result.",
  disputes_createDispute:
    "Of a cleared purchase or an ATM withdrawal, by `referenceCode`. It is a draft until it is submitted. Together with refunds and other disputes it cannot exceed what was settled: 409 `AMOUNT_EXCEEDED`.",
  disputes_listDisputes:
    "By `cardId`, `cardholderId`, `status`, `referenceCode`, `externalId`, amount and time.",
  disputes_viewDispute:
    "`deadline` says when its status ends by itself; `liability` says who bears what, computed from the journal.",
  disputes_changeDispute:
    "Amount, reason and note can change until it is submitted; `externalId` and `metadata` always.",
  disputes_submitDispute:
    "If the network has asked for evidence and none was uploaded since: 409 `EVIDENCE_REQUIRED`. The provisional credit is due ten business days later, or granted at once with the Program's setting `provisionalCreditAtOnce`.",
  disputes_escalateDispute:
    "After a representment: pre-arbitration, then arbitration. If nothing happens in 30 days, the dispute is lost.",
  disputes_writeOffDispute: "The Card keeps the credit, or gets it now; the Program's reserve bears it.",
  disputes_withdrawDispute: "The Card gives the credit back, also below zero.",
  disputes_listDisputeEvents: "Each step with its time, its amount and who took it.",
  disputes_addEvidence:
    "Answers a URL that takes a PUT for 30 minutes, with the same `Content-Type`. The file is checked before it counts. In a status whose next step is not the customer's: 409 `ILLEGAL_TRANSITION`.",
  disputes_listEvidence: "With what the check of each file came to.",
  disputes_viewEvidence: "With a URL of the file for five minutes, if it passed the check.",
  otp_subscribe:
    "With `webhookUrl`, each passcode calls back there, without the code. Fetch the code by the `token`: it and the `secret` are returned only in this answer.",
  otp_listListeners: "Name a `cardId` or a `cardholderId`. Tokens and secrets are not in it.",
  otp_removeListener: "For a subscription whose token was lost.",
  otp_retrieveOtp:
    "`status` says whether there is a code: it is `received` then, and `pending` where no challenge has come.",
  otp_unsubscribe: "Needs the token. Without it, remove the subscription by its `listenerId`.",
  otp_listChallenges: "Each with its code. Those of digital wallets have their `tokenId`.",
  authentications_listAuthentications: "By `cardId`, `cardholderId` and `state`.",
  authentications_viewAuthentication:
    "What the merchant asked, how it was decided and by whom, its ECI, and whether the liability has shifted. `authorizationId` names the purchase that used it.",
  authentications_viewAuthenticationDecision:
    "What your server answered, in how many milliseconds, or why the stand-in decided.",
  authentications_decideAuthentication:
    "`approved` or `declined`, while it waits. A second outcome, or a late one, is 409 `ILLEGAL_TRANSITION`. Of a passcode and an outcome at once, one decides.",
  authentications_viewAuthenticationRules:
    "Without rules of its own, a Program challenges each authentication.",
  authentications_putAuthenticationRules:
    "The first rule that fits decides, `otherwise` all others. What the merchant did not send fits no rule that names it.",
  tokens_listTokens:
    "By `cardId`, `cardholderId`, `state` and `wallet`. The token's own number is nowhere on the platform.",
  tokens_viewToken: "Its wallet, device, state, and who decided it.",
  tokens_deleteToken: "The wallet is told by the network. Holds that were made with it go on.",
  tokens_listTokenEvents: "The request, each change of state, who made it and why.",
  tokens_viewTokenDecision:
    "What your server answered, in how many milliseconds, or why the stand-in decided.",
  tokens_suspendToken: "Purchases with it decline with `TOKEN_NOT_ACTIVE`. Holds that are there go on.",
  tokens_resumeToken: "Lifts a suspension, whether you or the wallet made it.",
  tokens_verifyToken: "`approved` or `declined`, while it waits for its passcode, which then ends.",
  tokens_viewTokenRules: "Without rules of its own, a Program asks for a passcode each time.",
  tokens_putTokenRules:
    "The first rule that fits decides, `otherwise` all others. `step_up` asks the Cardholder for a passcode.",
  webhooks_listWebhooks:
    "Without their secrets. One that was switched off after failures has `active` false.",
  webhooks_createWebhook:
    "Answers the secret that signs each delivery, only in this answer. `eventTypes` chooses; without it, the endpoint gets the types 1 to 4. A sixth endpoint of a Program is 409 `LIMIT_REACHED`.",
  webhooks_viewWebhook: "With its types and whether it is active, and without its secret.",
  webhooks_changeWebhook:
    "`active: true` switches one on again; redeliver then what it missed. `active: false` stops sending, and drops deliveries under way.",
  webhooks_deleteWebhook: "Set `active` to false instead to keep it and stop sending.",
  webhooks_rotateSecret:
    "For 24 hours, deliveries have a signature by the new and one by the replaced secret.",
  webhooks_pingWebhook:
    "Answers whether the endpoint returned 2xx, its HTTP status or the error, and the latency. The message is signed.",
  webhooks_listEvents: "By `eventType` and time. Types from 10 on have their `subjectId`.",
  webhooks_listAttempts: "Time, HTTP status, latency in milliseconds, error, and the SHA-256 of the body.",
  webhooks_redeliverEvent:
    'The same bytes again. `{"webhookId": "whk_…"}` limits it to one endpoint; `{}` sends to all that take its type.',
  webhooks_redeliverSince:
    "Runs in the background. A Program has one replay at a time: 409 `REPLAY_IN_PROGRESS`.",
  webhooks_viewReplay: "`sent` of `total`. One without progress for an hour counts as done.",
  account_listPrograms: "Needs a Tenant-level key, as all of `/account` does.",
  account_createProgram:
    "With a first Wallet and a currency, which never changes. Create an API user for it next.",
  account_viewProgram: "With its `currency` and the `walletId` of its first Wallet.",
  account_viewSettings: "With `bins` and `clearingDelaySeconds`, which only the operator sets.",
  account_updateSettings:
    "Send the settings that change. Without a sandbox, a new `bankAccount` waits for the operator's approval: 202.",
  account_listCardDesigns: "With the `status` of each slot's review.",
  account_submitCardDesign:
    "The slot `cardType` must be empty. Cards can be issued with it once it is approved.",
  account_resubmitCardDesign: "After a rejection. Otherwise 409 `ILLEGAL_TRANSITION`.",
  account_listConnections: "With replaced ones that are still accepted. Secrets are not shown.",
  account_createConnection:
    "The secret is only in this answer. Without a sandbox the answer is 202 and has none: it takes effect when the operator approves it.",
  account_deleteConnection:
    "The Program goes back to the default connection. Of a replaced one, it ends the time for which it is still accepted.",
  account_listTenantApiUsers: "With their roles; keys are not shown.",
  account_createTenantApiUser: "Answers the key, once. Only keys of the role `everything` may call it.",
  account_updateTenantApiUser: "A new role counts for every request that begins after the answer.",
  account_rotateTenantApiUser:
    "The new key is only in this answer. The old one works for `overlapSeconds` more: without it, it ends at once.",
  account_revokeTenantApiUser: "All its keys are refused from the next request on.",
  account_listProgramApiUsers: "With their roles; keys are not shown.",
  account_createProgramApiUser:
    "Answers the key, once. The key sees this Program alone. Only keys of the role `everything` may call it.",
  account_updateProgramApiUser: "A new role counts for every request that begins after the answer.",
  account_rotateProgramApiUser:
    "The new key is only in this answer. The old one works for `overlapSeconds` more: without it, it ends at once.",
  account_revokeProgramApiUser: "All its keys are refused from the next request on.",
  account_listAllowedIps: "With `programId`, a range is of that Program alone; without, of the whole Tenant.",
  account_allowIp:
    "`cidr` is an IPv4 or IPv6 range, or one address. Without `programId` it is for the whole Tenant. One too many of the Tenant or the Program is 409 `LIMIT_REACHED`.",
  account_removeIp:
    "Requests from there are refused from the next one on, unless another range has the address.",
  account_listAuditLog:
    "By `programId`, `actor` and `action`. Each entry has the values before and after the change, without secrets.",
  account_viewNotifications: "Where alerts go: certificates that expire, webhooks that were switched off.",
  account_setNotifications:
    "By `email` or by `url`. The secret is only in the answer in which the URL is new.",
  account_listTickets: "By `status` and `priority`.",
  account_raiseTicket: "The `message` is its first comment.",
  account_viewTicket: "With all its comments, in order.",
  account_commentOnTicket:
    "A resolved or closed ticket is 409 `ILLEGAL_TRANSITION`. A ticket has at most 50 comments: else 409 `LIMIT_REACHED`.",
  account_reopenTicket:
    "Only a resolved one, until `reopenableUntil`. Otherwise it is 409 `ILLEGAL_TRANSITION`: open a new one then.",
  certificates_listCertificates: "With status and expiry, revoked ones too.",
  certificates_issueCertificate:
    "Send a PKCS#10 request in PEM. The key stays with you. The certificate is valid for 90 days and works from the next request on. A third active one for the same Programs is 409 `LIMIT_REACHED`.",
  certificates_viewCertificate: "With the certificate in PEM.",
  certificates_revokeCertificate: "Requests with it are refused from the next one on.",
  sandbox_authorize:
    "As a merchant's terminal or shop does. Declined, it answers 200 with `approved` false and a `declineReason`. With `partialApprovalSupported`, a part may be approved.",
  sandbox_advise: "It is booked whatever the Card's state and balance are: the network has decided.",
  sandbox_increment: "Decided as an authorization is. Declined, it leaves the authorization as it was.",
  sandbox_clearAuthorization:
    "The amount may differ from what is held. A `final` one releases the rest; others leave it for later clearings.",
  sandbox_reverseAuthorization: "Without `amount`, all that is still held.",
  sandbox_expireAuthorization: "Releases what is held, as the network's own expiry does.",
  sandbox_forcePost: "Posted at once, whatever the Card's state and balance are.",
  sandbox_refund:
    "It is booked whatever the Card's state is. What it gives back of the purchase or withdrawal that `originalTransId` names cannot be disputed. Without, it belongs to none.",
  sandbox_reverseRefund: "Takes it back from the Card, also below zero.",
  sandbox_withdrawCash: "Decided and posted at once. `feeAmount` is charged with it.",
  sandbox_chargeFee: "It posts also below zero.",
  sandbox_reverseFee: "Gives it back to the Card, once.",
  sandbox_inquireBalance: "Answers what a machine would show. Nothing is held.",
  sandbox_openChargeback: "As a processor reports one: it is submitted and credited at once.",
  sandbox_decideChargeback:
    "Each step that the dispute's status allows. Others are 409 `ILLEGAL_TRANSITION`.",
  sandbox_decideDispute: "Each step that the dispute's status allows. Others are 409 `ILLEGAL_TRANSITION`.",
  sandbox_depositAtAddress: "As the custodian reports it. An address that no Card has is 404.",
  sandbox_recordError: "To see how a client shows it. No money moves.",
  sandbox_recordTransfer: "To see how a client shows it. A pending one holds the amount until it is decided.",
  sandbox_decideTransfer: "Completes or refuses it. A refused one gives the amount back.",
  sandbox_viewSandboxWallet:
    "Certificates, nonce and its signature, for `POST /cards/{cardId}/push-provisioning`.",
  sandbox_provisionToken: "Decrypts what the app was given, as the wallet does, and asks for a token.",
  sandbox_challenge: "A challenge with a passcode, whatever the rules are. The subscription is called back.",
  sandbox_completeChallenge: "The fifth wrong code ends the challenge.",
  sandbox_requestAuthentication:
    "Decided by the Program's rules. Where it is decided at once, the answer has the CAVV.",
  sandbox_viewMerchantAuthentication: "With the CAVV, once it is decided in the merchant's favour.",
  sandbox_enterPasscode:
    "409 once it is decided, late, or to be answered in the app. The fifth wrong code fails it.",
  sandbox_requestToken:
    "As a phone's wallet asks the network. Decided by the Program's rules. The same `tokenReference` again gets the first answer.",
  sandbox_enterTokenPasscode: "The fifth wrong one, or ten minutes, decline the token.",
  sandbox_sendWalletEvent:
    "A repeated step gets the first answer; one that the state does not allow is 409 `ILLEGAL_TRANSITION`.",
  sandbox_decideKyc: "In the compliance provider's place. `status` is the Cardholder's new one.",
  sandbox_decideIssuance: "For a Program that approves issuances by hand.",
  sandbox_reportShipping: "In the bureau's and the carrier's place.",
  sandbox_depositOnCard:
    "As the custodian reports it. A `pending` one is cleared or reversed later. A `txHash` counts once.",
  sandbox_depositInWallet:
    "As the custodian reports it. A `pending` one is cleared or reversed later. A `txHash` counts once.",
  sandbox_clearDeposit: "From then on it can be spent.",
  sandbox_reverseDeposit: "It never came: the ledger balance falls, and the available one stays.",
  sandbox_returnDeposit: "A cleared one is debited, also below zero. A pending one is reversed.",
  sandbox_duplicateNotification:
    "To try a receiver: the same notification, as an upstream system would send it twice.",
  sandbox_feedSettlementFile: "It posts nothing: `GET /settlements/{date}` compares it with what is posted.",
  "external-accounts_createExternalAccount":
    "With an `iban`, or `accountNumber`, `routingNumber` and `accountType`. A Program has a bank account once: else 409 `ACCOUNT_EXISTS` with `existingId`. With a `cardholderId`, the name must be that person's. Verify it next.",
  "external-accounts_listExternalAccounts": "By `status` and `cardholderId`.",
  "external-accounts_viewExternalAccount":
    "`status` says whether money may go there. No answer has more of the number than the last four characters.",
  "external-accounts_deleteExternalAccount":
    "It stays, archived, since payments name it. The bank account can be added again, as a new external account.",
  "external-accounts_startVerification":
    "With `bank_check`, the account's bank is asked whose it is; with `micro_deposits`, two small payments go to it with the next file. It has 14 days. A bank account has at most three verifications in 30 days: else 409 `LIMIT_REACHED`.",
  "external-accounts_confirmVerification":
    "In any order. Wrong ones are 422 `AMOUNTS_WRONG` with `attemptsLeft`; the fifth wrong pair ends the verification. Five requests at once are five attempts.",
  sandbox_viewMicroDeposits: "No other answer has them. 404 for a verification by `bank_check`.",
  sandbox_checkExternalAccount:
    "Only `match` verifies it. With `close_match`, `name` is shown as `suggestedName`; with `unavailable`, its bank answers no such question.",
};
