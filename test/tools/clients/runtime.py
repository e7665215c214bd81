"""A client of the card issuing platform, generated from its contract: Python 3.11 or newer, and nothing else.

    client = Client(base_url="https://…/v2", certificate="client.pem", key="client-key.pem", api_key="…")
    for wallet in client.every(client.wallets_list_wallets):
        print(wallet["walletId"])
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import http.client
import json
import random
import ssl
import threading
import time
import urllib.parse
import uuid
from typing import Any, Callable, Generic, Iterable, Iterator, Literal, Mapping, NotRequired, TypeAlias, TypedDict, TypeVar, Union

Item = TypeVar("Item")


class Page(TypedDict, Generic[Item]):
    items: list[Item]
    total: int
    limit: int
    offset: int


# The contract's types.
class RequestRejected(Exception):
    """The platform answered with an error: `status` is HTTP's, `body` has `code`, `message`, `requestId` and faults."""

    def __init__(self, status: int, body: dict[str, Any]):
        faults = [f"{one.get('path')}: {one.get('message')}" for one in body.get("errors", [])]
        head = f"{status} {body.get('code')}: {body.get('message')} (request {body.get('requestId')})"
        super().__init__("\n".join([head, *faults]))
        self.status = status
        self.body = body


class SignatureRefused(Exception):
    """No secret fits the notification, or it is older than five minutes."""


_repeated = {429, 500, 502, 503, 504}
# An idle connection is closed before the server does so: a request on it would be lost.
_idle_seconds = 4.0


def _is_passing(status: int, content: bytes) -> bool:
    return status in _repeated or (status == 409 and b'"IDEMPOTENCY_IN_PROGRESS"' in content)


def _part(text: str) -> str:
    return urllib.parse.quote(text, safe="")


class Client:
    """Reads, deletions and what has an idempotency key are repeated: no answer, 429, 500, 502 to 504, still in progress."""

    def __init__(
        self,
        *,
        base_url: str,
        certificate: str,
        key: str,
        api_key: str,
        authority: str | None = None,
        attempts: int = 4,
        first_delay: float = 0.2,
        timeout: float = 60.0,
    ):
        """`certificate`, `key` and `authority` are paths of PEM files; the last, if the system does not know the server's CA."""
        self._url = urllib.parse.urlsplit(base_url)
        self._tls = ssl.create_default_context(cafile=authority)
        self._tls.load_cert_chain(certificate, key)
        self._api_key = api_key
        self._attempts = attempts
        self._first_delay = first_delay
        self._timeout = timeout
        self._open = threading.local()

    def every(self, operation: Callable[..., Page[Item]], *path: str, **query: Any) -> Iterator[Item]:
        """All items of a list, page by page. If records change meanwhile, one may come twice or never."""
        offset = query.pop("offset", 0)
        while True:
            # A list that takes no parameters is one page.
            page = operation(*path, **query, **({"offset": offset} if offset else {}))
            yield from page["items"]
            offset += len(page["items"])
            if not page["items"] or offset >= page["total"]:
                return

    def call(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] = {},
        body: Any = None,
        lines: Iterable[Any] | None = None,
        key: str | None = None,
    ) -> Any:
        """`data` of the answer, a page of a list, or a document's bytes."""
        given = {name: value for name, value in query.items() if value is not None}
        place = self._url.path + path + (f"?{urllib.parse.urlencode(given)}" if given else "")
        headers = {"X-API-Key": self._api_key, "User-Agent": "card-issuing-python"}
        content = None
        if lines is not None:
            content = "\n".join(json.dumps(line) for line in lines)
            headers["Content-Type"] = "application/x-ndjson"
        elif body is not None:
            content = json.dumps(body)
            headers["Content-Type"] = "application/json"
        if key is not None:
            headers["Idempotency-Key"] = key
        most = self._attempts if key is not None or method in ("GET", "DELETE") else 1
        sent = content.encode() if content is not None else None
        status, kind, answer = self._repeat(most, method, place, sent, headers)
        if not kind.startswith("application/json"):
            if status < 300:
                return answer
            raise RequestRejected(status, {"message": answer.decode(errors="replace")})
        parsed = json.loads(answer)
        if status >= 300:
            raise RequestRejected(status, parsed)
        return parsed["data"] if "data" in parsed else parsed

    def _repeat(
        self, most: int, method: str, place: str, body: bytes | None, headers: Mapping[str, str]
    ) -> tuple[int, str, bytes]:
        attempt = 1
        while True:
            try:
                answer = self._send(method, place, body, headers)
                if attempt >= most or not _is_passing(answer[0], answer[2]):
                    return answer
            except (OSError, http.client.HTTPException):
                self._close()
                if attempt >= most:
                    raise
            time.sleep(random.random() * self._first_delay * 2 ** (attempt - 1))
            attempt += 1

    def _send(
        self, method: str, place: str, body: bytes | None, headers: Mapping[str, str]
    ) -> tuple[int, str, bytes]:
        connection = getattr(self._open, "connection", None)
        if connection is None or time.monotonic() - self._open.used > _idle_seconds:
            self._close()
            host, port = self._url.hostname or "", self._url.port
            connection = http.client.HTTPSConnection(host, port, timeout=self._timeout, context=self._tls)
            self._open.connection = connection
        connection.request(method, place, body, dict(headers))
        response = connection.getresponse()
        answer = response.read()
        self._open.used = time.monotonic()
        return response.status, response.headers.get("Content-Type", ""), answer

    def _close(self) -> None:
        connection = getattr(self._open, "connection", None)
        self._open.connection = None
        if connection is not None:
            connection.close()

    # The contract's calls.


def verify_notification(secrets: Iterable[str], headers: Mapping[str, str], body: bytes) -> dict[str, Any]:
    """Verifies and parses a webhook. Give the raw body, and all valid secrets (two after a rotation)."""
    given = {name.lower(): value for name, value in headers.items()}
    stamp = given.get("webhook-timestamp", "")
    if not stamp.isdigit() or abs(time.time() - int(stamp)) > 300:
        raise SignatureRefused("The notification has no time, or is older than five minutes.")
    signed = f"{given.get('webhook-id', '')}.{stamp}.".encode() + body
    found = [part.removeprefix("v1,").encode() for part in given.get("webhook-signature", "").split() if part.startswith("v1,")]
    for secret in secrets:
        key = base64.b64decode(secret.removeprefix("whsec_"))
        expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
        if any(hmac.compare_digest(expected, one) for one in found):
            return _layers(json.loads(body))
    raise SignatureRefused("No secret fits the notification.")


def _layers(content: dict[str, Any]) -> dict[str, Any]:
    """A transaction has its layers as JSON in texts."""
    if "SpData" in content:
        data = json.loads(content["SpData"])
        data["OriginalDataFromSp"] = json.loads(data["OriginalDataFromSp"])
        content["SpData"] = data
    return content
