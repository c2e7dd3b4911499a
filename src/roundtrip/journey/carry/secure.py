"""TLS 1.3 at both ends in memory: the real OpenSSL, its records, and the secrets that decrypt them.

The certificate is made for one run of the program and goes with it. OpenSSL draws its own random numbers, so the bytes
differ from run to run; everything else that is carried follows the seed.
"""

from __future__ import annotations

import contextlib
import datetime
import ssl
import tempfile
from collections.abc import Generator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from roundtrip.errors import RoundtripError

HOST = "api.example.test"


@dataclass(slots=True)
class Secure:
    """One end of a TLS connection: bytes of the stream go in and come out, plain text too."""

    tls: ssl.SSLObject
    incoming: ssl.MemoryBIO
    outgoing: ssl.MemoryBIO
    is_ready: bool = False
    plain: bytearray = field(default_factory=bytearray)

    def feed(self, data: bytes) -> bytes:
        """Take bytes from the other end and return those to be sent to it; what was plain text is added to `plain`.

        Raises
        ------
        RoundtripError
            If OpenSSL refuses them: a record was changed on the way.
        """
        if data:
            self.incoming.write(data)
        try:
            if not self.is_ready:
                self.tls.do_handshake()
                self.is_ready = True
            while True:
                piece = self.tls.read(65_536)
                if not piece:
                    break
                self.plain += piece
        except (ssl.SSLWantReadError, ssl.SSLZeroReturnError):
            pass  # nothing more for now, or for ever
        except ssl.SSLError as error:
            raise RoundtripError(f"TLS refused what arrived: {error.reason or error}") from None
        return self.outgoing.read()

    def say(self, text: bytes) -> bytes:
        """Return the records of some plain text."""
        self.tls.write(text)
        return self.outgoing.read()

    def end(self) -> bytes:
        """Return the record that closes the connection."""
        # Where the other end has not closed yet, OpenSSL complains, and what is to be sent is there all the same.
        with contextlib.suppress(ssl.SSLError):
            self.tls.unwrap()
        return self.outgoing.read()

    def taken(self) -> bytes:
        """Return the plain text that has come since the last call."""
        text, self.plain = bytes(self.plain), bytearray()
        return text

    def chosen(self) -> dict[str, str]:
        """Return what the ends agreed on."""
        cipher = self.tls.cipher()
        return {
            "version": self.tls.version() or "",
            "cipher": cipher[0] if cipher else "",
            "protocol": self.tls.selected_alpn_protocol() or "",
        }


@cache
def _certificate() -> tuple[bytes, bytes]:
    """Return a certificate for `HOST`, signed by itself, and its key (elliptic, P-256), both as PEM."""
    try:
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec
        from cryptography.x509.oid import NameOID
    except ImportError:
        raise RoundtripError("TLS in memory needs a certificate: pip install 'prompt-roundtrip[carry]'") from None
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, HOST)])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=30))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(HOST)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    encoding = serialization.Encoding.PEM
    private = key.private_bytes(encoding, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return made.public_bytes(encoding), private


@dataclass(slots=True)
class Pair:
    """Both ends of a connection, and where their secrets are logged."""

    client: Secure
    server: Secure
    _log: Path

    def secrets(self) -> bytes:
        """Return the lines of the key log so far."""
        return self._log.read_bytes() if self._log.is_file() else b""


@contextlib.contextmanager
def pair(protocol: str) -> Generator[Pair, None, None]:
    """Make two ends that will agree on a protocol of the application; their files go afterwards.

    Parameters
    ----------
    protocol : str
        ``http/1.1`` or ``h2``.
    """
    certificate, key = _certificate()
    with tempfile.TemporaryDirectory(prefix="roundtrip-carry-") as folder:
        place = Path(folder)
        (place / "cert.pem").write_bytes(certificate)
        (place / "key.pem").touch(mode=0o600)
        (place / "key.pem").write_bytes(key)
        client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        client.load_verify_locations(place / "cert.pem")
        client.keylog_filename = str(place / "keys.log")
        server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        server.load_cert_chain(place / "cert.pem", place / "key.pem")
        for context in (client, server):
            context.minimum_version = ssl.TLSVersion.TLSv1_3
            context.set_alpn_protocols([protocol])
        yield Pair(made(client, is_server=False), made(server, is_server=True), place / "keys.log")


def made(context: ssl.SSLContext, is_server: bool) -> Secure:
    """Return a new end of a connection."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    tls = context.wrap_bio(incoming, outgoing, server_side=is_server, server_hostname=None if is_server else HOST)
    return Secure(tls, incoming, outgoing)
