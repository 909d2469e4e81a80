package io.verbena.outcome;

import static io.verbena.outcome.Case.of;
import static io.verbena.outcome.Scene.answer;
import static io.verbena.outcome.Scene.attempt;

import io.verbena.verbs.AddressHandleAttributes;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;

/** Datagrams and address handles. */
final class DatagramCases {

    private DatagramCases() {}

    static final List<Case> ALL = List.of(
            of(
                    "look up a datagram service that is not there",
                    "UnsupportedOperationException",
                    s -> answer(() -> s.a.rnic.lookUp(
                            new InetSocketAddress(s.address(s.b), 0),
                            ConnectionOptions.defaults().withTimeout(Duration.ofSeconds(20))))),
            of(
                    "look up a service at a host name without an address",
                    "UnsupportedOperationException",
                    s -> answer(() -> s.a.rnic.lookUp(
                            InetSocketAddress.createUnresolved("no-such-host.invalid", 7),
                            ConnectionOptions.defaults()))),
            of(
                    "an address handle",
                    "UnsupportedOperationException",
                    s -> attempt(() -> s.a.pd
                            .createAddressHandle(AddressHandleAttributes.to(InetAddress.getLoopbackAddress()))
                            .close())),
            of(
                    "a reliable datagram domain",
                    "UnsupportedOperationException",
                    s -> attempt(() -> s.a.rnic.allocateReliableDatagramDomain())),
            of("a request of a connection is for datagrams", "false false", s -> {
                ConnectionRequest request = s.request(ConnectionOptions.defaults());
                return answer(() -> request.forDatagrams() + " " + request.forContext());
            }),
            of("accept a connection as a datagram service", "UnsupportedOperationException", s -> {
                ConnectionRequest request = s.request(ConnectionOptions.defaults());
                return attempt(() -> request.acceptDatagrams(s.b.qp, 5, new byte[0]));
            }));
}
