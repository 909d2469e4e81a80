package io.verbena.rnic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.PeerNetwork;
import io.verbena.verbs.QueuePair;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class WaitingRequestsTest {

    private static final class Request extends SoftConnectionRequest {
        private final String name;

        Request(String name, String address) {
            super(at("127.0.0.1"), at(address), new byte[0]);
            this.name = name;
        }

        private static InetSocketAddress at(String address) {
            return new InetSocketAddress(InetAddress.ofLiteral(address), 1);
        }

        @Override
        protected void refuse(String reason) {
            throw new AssertionError("the queue refuses nothing");
        }

        @Override
        public Connection startAccept(QueuePair queuePair, ConnectionOptions options) {
            throw new AssertionError("the queue accepts nothing");
        }

        @Override
        public void reject(byte[] privateData) {
            throw new AssertionError("the queue rejects nothing");
        }
    }

    private static final String NEAR = "192.0.2.1";
    private static final String FAR = "198.51.100.1";
    private static final String THIRD = "203.0.113.1";

    private final WaitingRequests waiting = new WaitingRequests();

    private Request add(String name, String address) {
        Request request = new Request(name, address);
        waiting.add(request);
        return request;
    }

    private static PeerNetwork network(String address) {
        return PeerNetwork.of(Request.at(address));
    }

    private static String name(Optional<SoftConnectionRequest> request) {
        return request.map(it -> ((Request) it).name).orElse("none");
    }

    private List<String> drain() {
        List<String> names = new ArrayList<>();
        for (Optional<SoftConnectionRequest> each = waiting.poll(); each.isPresent(); each = waiting.poll()) {
            names.add(name(each));
        }
        assertEquals(0, waiting.size());
        return names;
    }

    @Test
    void poll_networksTakeTurns_eachInTheOrderOfArrival() {
        for (int i = 1; i <= 4; i++) {
            add("near" + i, NEAR);
        }
        add("far1", FAR);
        add("far2", FAR);
        add("third", THIRD);
        assertEquals(7, waiting.size());
        assertEquals(List.of("near1", "far1", "third", "near2", "far2", "near3", "near4"), drain());
    }

    @Test
    void poll_networkThatComesLater_waitsForOneRequestOfEachOther() {
        add("near1", NEAR);
        add("near2", NEAR);
        assertEquals("near1", name(waiting.poll()));
        add("far1", FAR);
        assertEquals(List.of("near2", "far1"), drain());
    }

    @Test
    void poll_empty_isEmpty() {
        assertEquals(Optional.empty(), waiting.poll());
        assertEquals(0, waiting.size());
    }

    @Test
    void displace_takesTheLastOfTheNetworkWithMost_onlyForOneWithTwoFewer() {
        add("near1", NEAR);
        assertEquals("none", name(waiting.displace(network(FAR))));
        Request last = add("near2", NEAR);
        assertEquals("none", name(waiting.displace(network(NEAR))));
        assertSame(last, waiting.displace(network(FAR)).orElseThrow());
        assertEquals(1, waiting.size());
        add("near3", NEAR);
        add("near4", NEAR);
        add("far1", FAR);
        assertEquals("near4", name(waiting.displace(network(FAR))));
        assertEquals("none", name(waiting.displace(network(FAR))));
        assertEquals("near3", name(waiting.displace(network(THIRD))));
        assertEquals(List.of("near1", "far1"), drain());
    }

    @Test
    void displace_empty_isEmpty() {
        assertEquals("none", name(waiting.displace(network(NEAR))));
    }

    @Test
    void remove_countsOnce_andForgetsAnEmptyNetwork() {
        Request first = add("near1", NEAR);
        Request second = add("near2", NEAR);
        Request other = add("far1", FAR);
        waiting.remove(first);
        waiting.remove(first);
        waiting.remove(new Request("stranger", THIRD));
        assertEquals(2, waiting.size());
        waiting.remove(second);
        assertEquals(1, waiting.size());
        assertSame(other, waiting.poll().orElseThrow());
        waiting.remove(other);
        assertEquals(List.of(), drain());
    }

    @Test
    void clear_leavesNothing() {
        add("near1", NEAR);
        add("far1", FAR);
        waiting.clear();
        assertEquals(List.of(), drain());
    }
}
