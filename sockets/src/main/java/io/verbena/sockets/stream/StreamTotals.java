package io.verbena.sockets.stream;

import io.verbena.verbs.TransportType;

/**
 * What all sockets of a network that one transport carries have done since the network was opened, with those that were closed.
 *
 * @param sockets connections that were established
 * @param readBytes bytes that the program has read
 * @param writtenBytes bytes that the program has written
 */
public record StreamTotals(TransportType transport, long sockets, long readBytes, long writtenBytes) {

    StreamTotals plus(StreamTotals other) {
        return new StreamTotals(
                transport, sockets + other.sockets, readBytes + other.readBytes, writtenBytes + other.writtenBytes);
    }
}
