package io.verbena.tcp;

import io.verbena.wire.ip.Ipv4Header;
import io.verbena.wire.ip.TcpHeader;

/** Sizes of headers. */
final class Headers {

    /** Bytes of an IPv4 header without options. */
    static final int IP_BYTES = Ipv4Header.LENGTH;

    /** Bytes of an IPv4 and a TCP header without options. */
    static final int BYTES = Ipv4Header.LENGTH + TcpHeader.LENGTH;

    /** Smallest path MTU that a report is believed; smaller ones are forged (RFC 5927 section 7). */
    static final int LEAST_MTU = 552;

    private Headers() {}
}
