"""Connects to each "host port" line of its input, at 127.0.0.1. Writes "ok", or why the certificate was refused, in a line."""

import platform
import socket
import ssl
import sys

context = ssl.create_default_context(cafile=sys.argv[1])
print(f"Python {platform.python_version()}, {ssl.OPENSSL_VERSION}", flush=True)
for line in sys.stdin:
    host, port = line.split()
    try:
        with socket.create_connection(("127.0.0.1", int(port)), 5) as tcp:
            with context.wrap_socket(tcp, server_hostname=host):
                print("ok", flush=True)
    except OSError as error:
        print("refused:", str(error).replace("\n", " "), flush=True)
