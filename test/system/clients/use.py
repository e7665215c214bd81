"""Reads a connection file, and does what an integration does, by the generated client."""

import json
import sys

from card_issuing import Client, RequestRejected, SignatureRefused, verify_notification

with open(sys.argv[1]) as file:
    local = json.load(file)
client = Client(
    base_url=local["baseUrl"],
    certificate=local["cert"],
    key=local["key"],
    authority=local["ca"],
    api_key=local["programApiKey"],
)
card_id = sys.argv[2]
wallet = client.wallets_create_wallet({"name": "Python"}, idempotency_key=f"python-{card_id}")
again = client.wallets_create_wallet({"name": "Python"}, idempotency_key=f"python-{card_id}")
assert again["walletId"] == wallet["walletId"]
moved = client.wallets_transfer(
    {"sourceWalletId": local["walletId"], "destinationType": 1, "destinationId": card_id, "amount": 2_000}
)
assert moved["transStatus"] == 1 and moved["transferredAmount"] == 2_000
listed = list(client.every(client.cards_list_transactions, cardId=card_id, limit=1))
assert len(listed) > 1 and len({one["transId"] for one in listed}) == len(listed)
period = client.statements_list_card_months(card_id)["items"][0]["period"]
assert client.statements_view_card_statement(card_id, period)["closed"] is False
document = client.statements_view_card_statement_as(card_id, period, "pdf")
assert isinstance(document, bytes) and document.startswith(b"%PDF-1.7")
bulk = client.bulk_create_cardholders([{"externalId": f"python-{card_id}"}])
assert bulk["lines"] == 1
try:
    client.cards_view_card("crd_00000000000000000000000000")
    raise AssertionError("A Card that is not there was found.")
except RequestRejected as rejected:
    assert rejected.status == 404 and rejected.body["code"] == "NOT_FOUND"
signed = json.load(sys.stdin)
told = verify_notification([signed["secret"]], signed["headers"], signed["body"].encode())
try:
    verify_notification([signed["secret"]], signed["headers"], signed["body"].encode() + b" ")
    raise AssertionError("Another body was taken.")
except SignatureRefused:
    print(told["type"], wallet["walletId"])
