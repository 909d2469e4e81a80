package io.verbena.hardware.provider.survival;

import io.verbena.verbs.SurvivalOptions;
import java.net.SocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * How one side of a connection wants it to survive.
 *
 * @param remote the address that is connected to; empty if the peer has connected
 */
public record SurvivalTerms(SurvivalOptions options, Optional<SocketAddress> remote) {

    /** 0 for the side that has connected, 1 for its peer. */
    public int side() {
        return remote.isPresent() ? 0 : 1;
    }

    /** All addresses of the peer, first the one that is connected to; none if the peer has connected. */
    public List<SocketAddress> addresses() {
        return remote.stream()
                .flatMap(first -> Stream.concat(
                        Stream.of(first), options.addresses().stream().filter(each -> !each.equals(first))))
                .toList();
    }
}
