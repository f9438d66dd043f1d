#!/usr/bin/env python3
"""Forwards TLS connections to a plain port: tls_proxy.py PORT TO_PORT CERTIFICATE KEY"""
import socket, ssl, sys, threading

port, to_port, certificate, key = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
server = socket.create_server(("127.0.0.1", port))


def copy(one, other):
    try:
        while data := one.recv(65536):
            other.sendall(data)
    except OSError:
        pass
    for end in (one, other):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


while True:
    plain, _ = server.accept()
    try:
        client = context.wrap_socket(plain, server_side=True)
        behind = socket.create_connection(("127.0.0.1", to_port))
    except OSError:
        plain.close()
        continue
    threading.Thread(target=copy, args=(client, behind), daemon=True).start()
    threading.Thread(target=copy, args=(behind, client), daemon=True).start()
