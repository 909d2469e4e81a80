package io.verbena.messaging.start;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How addresses share the places of a meeting. */
class StrangersTest {

    private final Strangers strangers = new Strangers();

    /** A connection from an address. */
    private static final class From extends Socket {
        private final InetAddress address;
        private boolean closed;

        From(int host) {
            try {
                address = InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) host});
            } catch (UnknownHostException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public InetAddress getInetAddress() {
            return address;
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    private From add(int host) {
        From from = new From(host);
        strangers.add(from, 4);
        return from;
    }

    @Test
    void placesLeft_noConnectionIsClosed() {
        List<From> all = List.of(add(1), add(1), add(1), add(2));
        assertTrue(all.stream().noneMatch(from -> from.closed));
    }

    @Test
    void noPlaceLeft_oldestOfTheBusiestAddressIsClosed() {
        From rank = add(2);
        From first = add(1);
        From second = add(1);
        add(1);
        add(1);
        assertTrue(first.closed);
        assertFalse(second.closed);
        assertFalse(rank.closed, "the only connection of its address");
    }

    @Test
    void oneHostFloods_connectionsOfOthersStay() {
        From rank = add(2);
        List<From> flood = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            flood.add(add(1));
        }
        assertFalse(rank.closed);
        assertEquals(997, flood.stream().filter(from -> from.closed).count());
    }

    @Test
    void removed_itsPlaceIsFree() {
        From gone = add(1);
        add(1);
        add(1);
        add(1);
        strangers.remove(gone);
        strangers.remove(gone);
        assertFalse(add(1).closed);
        assertFalse(gone.closed);
        From next = add(1);
        assertFalse(next.closed);
    }

    @Test
    void closeAll_closesEach() {
        List<From> all = List.of(add(1), add(2));
        strangers.closeAll();
        assertTrue(all.stream().allMatch(from -> from.closed));
    }
}
