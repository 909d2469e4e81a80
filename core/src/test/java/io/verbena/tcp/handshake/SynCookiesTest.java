package io.verbena.tcp.handshake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.tcp.FixedRandom;
import io.verbena.tcp.flow.Choices;
import io.verbena.tcp.flow.FlowKey;
import io.verbena.tcp.flow.IpAddress;
import io.verbena.tcp.segment.Agreement;
import io.verbena.tcp.segment.SegmentIn;
import io.verbena.tcp.segment.SynOffer;
import io.verbena.wire.ip.TcpHeader;
import io.verbena.wire.ip.TcpOptionReader;
import io.verbena.wire.ip.TcpOptionWriter;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a cookie holds, and for how long. */
class SynCookiesTest {

    private static final FlowKey KEY = new FlowKey(IpAddress.ipv4(1), IpAddress.ipv4(2), 7471 << 16 | 5, 0);
    private static final long STEP_NS = 1L << 36;

    private final SynCookies cookies = new SynCookies(new Choices(new FixedRandom()));

    /** The final acknowledgment of a handshake. */
    private static SegmentIn ack(int sequence, int acknowledgment, boolean timestamps, int echo) {
        byte[] bytes = new byte[60];
        MemorySegment memory = MemorySegment.ofArray(bytes);
        TcpOptionWriter options = new TcpOptionWriter().wrap(memory, TcpHeader.LENGTH);
        if (timestamps) {
            options.timestamps(777, echo);
        }
        int length = TcpHeader.LENGTH + options.length();
        new TcpHeader()
                .wrap(memory, 0)
                .write(KEY.ports(), sequence, acknowledgment, TcpHeader.lengthAndFlags(length, TcpHeader.ACK));
        SegmentIn in = new SegmentIn();
        assertTrue(in.wrap(memory, 0, length));
        return in;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 48, 535, 536, 1219, 1220, 1339, 1340, 1440, 1459, 1460, 8939, 8940, 65_399, 65_400, 65_535})
    void everyOffer_isReturned_withAnMssThatThePeerAccepts(int mss) {
        for (int bits = 0; bits < 64; bits++) {
            int scale = (bits & 15) == 15 ? TcpOptionReader.ABSENT : bits & 15;
            int flags = SynOffer.flags((bits & 32) != 0);
            SynOffer offer = new SynOffer(flags, mss, scale, (bits & 16) != 0, true, 5);
            SynOffer held = SynCookies.held(offer);
            int cookie = cookies.sequence(KEY, 99, held, 123);
            int clock = 0x1234_5600 + bits * 37;
            int timestamp = SynCookies.timestamp(clock, held);
            assertTrue(clock - timestamp >= 0 && clock - timestamp < 64, "not later than the clock");
            SynCookies.Found found = cookies.find(KEY, ack(100, cookie + 1, true, timestamp), true, 123);
            assertNotNull(found);
            assertEquals(
                    new SynOffer(flags, held.mss(), scale, (bits & 16) != 0, true, 777), found.offer(), "bits " + bits);
            assertTrue(held.mss() <= Math.max(mss, Agreement.LEAST_MSS));
        }
        SynOffer held = SynCookies.held(new SynOffer(TcpHeader.SYN, mss, 7, true, false, 0));
        int cookie = cookies.sequence(KEY, 99, held, 123);
        SynCookies.Found found = cookies.find(KEY, ack(100, cookie + 1, false, 0), true, 123);
        assertNotNull(found);
        assertEquals(new SynOffer(TcpHeader.SYN, held.mss(), TcpOptionReader.ABSENT, false, false, 0), found.offer());
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 7, -1, -2, -8})
    void cookie_isValidInItsStepAndInTheNextOne(long step) {
        SynOffer held = SynCookies.held(new SynOffer(TcpHeader.SYN, 1460, 7, true, false, 0));
        long sentNs = step * STEP_NS;
        int cookie = cookies.sequence(KEY, 99, held, sentNs + STEP_NS / 2);
        SegmentIn in = ack(100, cookie + 1, false, 0);
        assertNull(cookies.find(KEY, in, true, sentNs - 1));
        assertNotNull(cookies.find(KEY, in, true, sentNs));
        assertNotNull(cookies.find(KEY, in, true, sentNs + 2 * STEP_NS - 1));
        assertNull(cookies.find(KEY, in, true, sentNs + 2 * STEP_NS));
        assertNull(cookies.find(KEY, in, true, sentNs + 3 * STEP_NS));
    }

    @Test
    void cookie_dependsOnEverythingAndOnTheKey() {
        SynOffer held = SynCookies.held(new SynOffer(TcpHeader.SYN, 1460, 7, true, false, 0));
        int cookie = cookies.sequence(KEY, 99, held, 0);
        SegmentIn in = ack(100, cookie + 1, false, 0);
        assertNotNull(cookies.find(KEY, in, true, 0));
        IpAddress other = IpAddress.ipv4(3);
        assertNull(cookies.find(new FlowKey(other, KEY.remote(), KEY.ports(), 0), in, true, 0));
        assertNull(cookies.find(new FlowKey(KEY.local(), other, KEY.ports(), 0), in, true, 0));
        assertNull(cookies.find(new FlowKey(KEY.local(), KEY.remote(), KEY.ports() ^ 1, 0), in, true, 0));
        assertNull(cookies.find(new FlowKey(KEY.local(), KEY.remote(), KEY.ports() ^ 1 << 16, 0), in, true, 0));
        assertNull(cookies.find(new FlowKey(KEY.local(), KEY.remote(), KEY.ports(), 9), in, true, 0));
        assertNull(cookies.find(KEY, ack(101, cookie + 1, false, 0), true, 0));
        assertNull(cookies.find(KEY, ack(100, cookie + 1, true, 0), true, 0));
        for (int bit = 0; bit < 32; bit++) {
            assertNull(cookies.find(KEY, ack(100, (cookie ^ 1 << bit) + 1, false, 0), true, 0), "bit " + bit);
        }
        FixedRandom later = new FixedRandom();
        later.nextLong();
        assertNull(new SynCookies(new Choices(later)).find(KEY, in, true, 0));
        assertNotEquals(cookie, cookies.sequence(KEY, 100, held, 0));
    }

    // The numbers are fixed; of random ones, 2^18 guesses would contain a valid one with probability 2^-10.
    @Test
    void guesses_areNotValid() {
        Random random = new Random(11);
        for (int i = 0; i < 1 << 18; i++) {
            assertNull(cookies.find(KEY, ack(random.nextInt(), random.nextInt(), i % 2 == 0, i), true, 0));
        }
    }

    @Test
    void usedCookies_areRemembered_andTheMemoryIsBounded() {
        UsedCookies used = new UsedCookies();
        assertFalse(used.has(0));
        for (long i = 0; i < 100_000; i++) {
            long identity = i << 32 | 7;
            assertFalse(used.has(identity));
            used.add(identity);
            assertTrue(used.has(identity));
        }
    }
}
