"""Sends by TCP or MPTCP for bench/paths, and counts what arrives in intervals of 10 ms."""

import os
import select
import socket
import sys
import time

PORT = 7178
IPPROTO_MPTCP = 262
INTERVAL_NS = 10_000_000


def make(protocol):
    return socket.socket(socket.AF_INET, socket.SOCK_STREAM, IPPROTO_MPTCP if protocol == "mptcp" else 0)


def receive(address, protocol, count, seconds, begun):
    listener = make(protocol)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((address, PORT))
    listener.listen(count)
    listener.settimeout(20)
    sockets = [listener.accept()[0] for _ in range(count)]
    for each in sockets:
        each.setblocking(False)
    warm = time.time_ns() + 1_000_000_000
    begin, end = 0, warm + 3600 * 10**9
    counts = []
    buffer = bytearray(1 << 20)
    while time.time_ns() < end:
        ready, _, _ = select.select(sockets, [], [], 0.01)
        now = time.time_ns()
        if begin == 0 and now >= warm:
            begin, end = now, now + seconds * 10**9
            counts = [0] * (seconds * 10**9 // INTERVAL_NS + 2)
            with open(begun + ".new", "w") as file:
                file.write(str(begin))
            os.rename(begun + ".new", begun)
        for each in ready:
            got = each.recv_into(buffer)
            if begin:
                counts[min(len(counts) - 1, (now - begin) // INTERVAL_NS)] += got
    print(begin, INTERVAL_NS, ",".join(map(str, counts[:-2])))


def send(address, protocol, count, seconds):
    sockets = []
    for _ in range(count):
        each = make(protocol)
        deadline = time.time() + 10
        while True:
            try:
                each.connect((address, PORT))
                break
            except ConnectionRefusedError:
                if time.time() > deadline:
                    raise
                each.close()
                each = make(protocol)
                time.sleep(0.05)
        each.setblocking(False)
        sockets.append(each)
    data = bytes(1 << 18)
    end = time.time() + seconds + 5
    while time.time() < end:
        _, ready, _ = select.select([], sockets, [], 0.1)
        for each in ready:
            try:
                each.send(data)
            except BlockingIOError:
                pass
            except OSError:
                return


if __name__ == "__main__":
    what, where, kind, number, length = sys.argv[1:6]
    if what == "receive":
        receive(where, kind, int(number), int(length), sys.argv[6])
    else:
        send(where, kind, int(number), int(length))
