package io.verbena.host.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.host.StreamProbe;
import io.verbena.host.Until;
import io.verbena.port.ByteStream;
import io.verbena.port.StreamEvents;
import io.verbena.port.StreamLoop;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What both kinds of loop do alike. */
public abstract class EngineLoopTest {

    private EngineLoop left;
    private EngineLoop right;

    public abstract EngineLoop open() throws IOException;

    @BeforeEach
    void openBoth() throws IOException {
        left = open();
        right = open();
        left.own();
        right.own();
    }

    @AfterEach
    void close() throws IOException {
        left.close();
        right.close();
    }

    private void pollBoth() {
        left.poll();
        right.poll();
    }

    /** An echo at the right, a connected probe at the left. */
    private record Pair(StreamProbe client, StreamProbe server) {}

    private Pair connect(boolean echo) throws IOException {
        StreamProbe server = new StreamProbe(right, echo);
        StreamProbe client = new StreamProbe(left, false);
        StreamLoop.Acceptor acceptor = server.listen();
        left.connect(acceptor.localAddress(), client);
        Until.holds("connected", () -> client.connected() && server.connected(), this::pollBoth);
        acceptor.close();
        return new Pair(client, server);
    }

    @Test
    void connected_bytesSent_comeBackFromEcho() throws IOException {
        Pair pair = connect(true);
        pair.client().send(10_000);
        Until.holds("all came back", () -> pair.client().received == 10_000, this::pollBoth);
        assertEquals(pair.server().checksum, pair.client().checksum);
    }

    @Test
    void connected_manyRounds_streamGetsHotAndCoolsDown() throws IOException {
        Pair pair = connect(true);
        for (int i = 1; i <= 50; i++) {
            long expected = i * 8L;
            pair.client().send(8);
            Until.holds("echo " + i, () -> pair.client().received == expected, this::pollBoth);
        }
        assertTrue(((LoopStream) pair.client().stream()).hot, "asked without the selector");
        for (int i = 0; i < 200; i++) {
            pollBoth();
        }
        assertFalse(((LoopStream) pair.client().stream()).hot, "quiet for 200 rounds");
        pair.client().send(8);
        Until.holds("told by the selector again", () -> pair.client().received == 408, this::pollBoth);
    }

    /** A stream that has been hot for so long that the system need not watch it any more. */
    private Pair busyForLong() throws IOException {
        Pair pair = connect(true);
        for (int i = 1; i <= HotStreams.LEAVE_AFTER_ROUNDS + 100; i++) {
            long expected = i * 8L;
            pair.client().send(8);
            Until.holds("echo " + i, () -> pair.client().received == expected, this::pollBoth);
        }
        assertTrue(((LoopStream) pair.client().stream()).hot);
        return pair;
    }

    @Test
    void busyForLong_thenQuiet_isNotifiedAgain() throws IOException {
        Pair pair = busyForLong();
        long before = pair.client().received;
        for (int i = 0; i < 200; i++) {
            pollBoth();
        }
        assertFalse(((LoopStream) pair.client().stream()).hot);
        pair.client().send(8);
        Until.holds("reported", () -> pair.client().received == before + 8, this::pollBoth);
    }

    @Test
    void busyForLong_thenParked_bytesEndTheWait() throws IOException {
        Pair pair = busyForLong();
        long before = pair.client().received;
        pair.server().send(8);
        long startNs = System.nanoTime();
        while (pair.client().received == before && System.nanoTime() - startNs < Until.LONG_NS) {
            left.select(Until.LONG_NS);
        }
        assertEquals(before + 8, pair.client().received);
        assertTrue(System.nanoTime() - startNs < Until.LONG_NS / 2);
    }

    @Test
    void busyForLong_full_toldWhenThereIsRoom() throws IOException {
        Pair pair = busyForLong();
        pair.server().stream().wantReadable(false);
        fill(pair.client().stream());
        pair.client().stream().wantWritable(true);
        pair.server().stream().wantReadable(true);
        Until.holds("room again", () -> pair.client().writableReports > 0, this::pollBoth);
    }

    @Test
    void busyForLong_peerEnds_isNotified() throws IOException {
        Pair pair = busyForLong();
        pair.server().stream().shutdownOutput();
        Until.holds("end seen", () -> pair.client().ended, this::pollBoth);
    }

    @Test
    void busyForLong_loopCloses_peerSeesTheEnd() throws IOException {
        Pair pair = busyForLong();
        left.close();
        Until.holds("end seen", () -> pair.server().ended || pair.server().broken, right::poll);
    }

    @Test
    void moreBusyStreamsThanHotOnes_rounds_allAreServed() throws IOException {
        List<Pair> pairs = new ArrayList<>();
        for (int i = 0; i < 3 * HotStreams.MAX; i++) {
            pairs.add(connect(true));
        }
        for (int i = 1; i <= 100; i++) {
            long expected = i * 100L;
            pairs.forEach(pair -> pair.client().send(100));
            Until.holds(
                    "all echoed",
                    () -> pairs.stream().allMatch(pair -> pair.client().received == expected),
                    this::pollBoth);
        }
    }

    @Test
    void nobodyListens_connect_isRefusedWithASentence() throws IOException {
        StreamLoop.Acceptor acceptor = new StreamProbe(right, false).listen();
        SocketAddress dead = acceptor.localAddress();
        acceptor.close();
        StreamProbe client = new StreamProbe(left, false);
        left.connect(dead, client);
        Until.holds("refused", () -> client.failure != null, this::pollBoth);
        assertTrue(client.refused);
        assertEquals(
                "Nothing listens at 127.0.0.1:" + ((InetSocketAddress) dead).getPort() + " (connection refused).",
                client.failure);
    }

    @Test
    void unknownHost_connect_failsWithASentence() {
        StreamProbe client = new StreamProbe(left, false);
        left.connect(InetSocketAddress.createUnresolved("nowhere.invalid", 1), client);
        assertFalse(client.refused);
        assertEquals("Cannot connect to nowhere.invalid:1: the host name is unknown.", client.failure);
    }

    @Test
    void portInUse_listen_saysSo() throws IOException {
        StreamLoop.Acceptor acceptor = new StreamProbe(right, false).listen();
        IOException refused = assertThrows(
                IOException.class, () -> left.listen(acceptor.localAddress(), 1, stream -> stream.close(true)));
        String sentence = String.valueOf(refused.getMessage());
        assertTrue(sentence.startsWith("Cannot listen at 127.0.0.1:"), sentence);
        assertTrue(sentence.endsWith(": address already in use."), sentence);
    }

    @Test
    void listening_close_systemTakesNoConnectionsAtOnce() throws IOException {
        StreamLoop.Acceptor acceptor = new StreamProbe(right, false).listen();
        InetSocketAddress where = (InetSocketAddress) acceptor.localAddress();
        acceptor.close();
        assertThrows(IOException.class, () -> new Socket(where.getAddress(), where.getPort()).close());
    }

    @Test
    void attached_movedToOtherLoop_goesOnThere() throws IOException {
        Pair pair = connect(true);
        ByteStream stream = pair.client().stream();
        StreamEvents events = pair.client();
        for (int i = 1; i <= 20; i++) {
            long expected = 100L * i;
            EngineLoop from = i % 2 == 1 ? left : right;
            EngineLoop to = i % 2 == 1 ? right : left;
            from.detach(stream);
            to.attach(stream, events);
            pair.client().send(100);
            Until.holds("echo after move " + i, () -> pair.client().received == expected, this::pollBoth);
        }
        assertThrows(IllegalStateException.class, () -> right.attach(stream, events), "attached to the left one");
    }

    @Test
    void detached_attachedAgainAtOnce_keepsItsKey() throws IOException {
        Pair pair = connect(true);
        ByteStream stream = pair.client().stream();
        for (int i = 1; i <= 20; i++) {
            long expected = 10L * i;
            left.detach(stream);
            left.attach(stream, pair.client());
            pair.client().send(10);
            Until.holds("echo " + i, () -> pair.client().received == expected, this::pollBoth);
        }
    }

    @Test
    void detached_bytesArrive_nothingIsReported() throws IOException {
        Pair pair = connect(false);
        right.detach(pair.server().stream());
        int before = pair.server().readableReports;
        pair.client().send(10);
        for (int i = 0; i < 100; i++) {
            pollBoth();
        }
        assertEquals(before, pair.server().readableReports);
        right.attach(pair.server().stream(), pair.server());
        Until.holds("read after attaching", () -> pair.server().received == 10, this::pollBoth);
    }

    @Test
    void readableNotWanted_bytesArrive_toldOnceWanted() throws IOException {
        Pair pair = connect(false);
        pair.server().stream().wantReadable(false);
        pair.client().send(10);
        for (int i = 0; i < 100; i++) {
            pollBoth();
        }
        assertEquals(0, pair.server().received);
        pair.server().stream().wantReadable(true);
        Until.holds("read", () -> pair.server().received == 10, this::pollBoth);
    }

    @Test
    void full_writableWanted_toldWhenThereIsRoom() throws IOException {
        Pair pair = connect(false);
        ByteStream sender = pair.client().stream();
        pair.server().stream().wantReadable(false);
        long sent = fill(sender);
        sender.wantWritable(true);
        for (int i = 0; i < 100; i++) {
            pollBoth();
        }
        assertEquals(0, pair.client().writableReports, "there is no room");
        pair.server().stream().wantReadable(true);
        Until.holds("room again", () -> pair.client().writableReports > 0, this::pollBoth);
        Until.holds("all arrived", () -> pair.server().received == sent, this::pollBoth);
    }

    /** Sends until there is no room; returns how many bytes went out. */
    private static long fill(ByteStream sender) throws IOException {
        ByteBuffer bulk = ByteBuffer.allocateDirect(1 << 20);
        long sent = 0;
        int count;
        while ((count = sender.write(bulk.clear())) > 0) {
            sent += count;
        }
        return sent;
    }

    @Test
    void connected_shutdownOutput_peerSeesTheEndAndCanStillSend() throws IOException {
        Pair pair = connect(false);
        pair.client().send(5);
        pair.client().stream().shutdownOutput();
        Until.holds("end seen", () -> pair.server().ended, this::pollBoth);
        assertEquals(5, pair.server().received);
        pair.server().send(7);
        Until.holds("other direction lives", () -> pair.client().received == 7, this::pollBoth);
    }

    @Test
    void connected_abortiveClose_peerSeesAReset() throws IOException {
        Pair pair = connect(false);
        pair.client().stream().close(true);
        Until.holds("reset seen", () -> pair.server().broken, this::pollBoth);
        assertFalse(pair.server().ended);
    }

    @Test
    void parked_wakeupFromOutside_selectReturns() throws InterruptedException {
        Thread waker = Thread.ofPlatform().start(left::wakeup);
        long startNs = System.nanoTime();
        left.select(Until.LONG_NS);
        assertTrue(System.nanoTime() - startNs < Until.LONG_NS / 2);
        waker.join();
    }

    @Test
    void select_theFinestWait_waitsThatLong() {
        for (int i = 0; i < 10; i++) {
            long waitNs = left.finestWaitNs();
            long startNs = System.nanoTime();
            left.select(waitNs);
            assertTrue(System.nanoTime() - startNs >= waitNs || left.finestWaitNs() != waitNs);
        }
    }

    @Test
    void thousandConnections_closed_noDescriptorStays() throws IOException {
        Pair warm = connect(true);
        warm.client().stream().close(false);
        Until.holds("closed", () -> warm.server().ended, this::pollBoth);
        warm.server().stream().close(false);
        pollBoth();
        long before = descriptors();
        for (int i = 0; i < 1000; i++) {
            boolean abortive = i % 2 == 0;
            Pair pair = connect(false);
            pair.client().stream().close(abortive);
            Until.holds("end seen", () -> pair.server().ended || pair.server().broken, this::pollBoth);
            pair.server().stream().close(false);
        }
        pollBoth();
        assertTrue(descriptors() <= before + 4, () -> before + " before, " + descriptors() + " after");
    }

    private static long descriptors() {
        return ((com.sun.management.UnixOperatingSystemMXBean)
                        java.lang.management.ManagementFactory.getOperatingSystemMXBean())
                .getOpenFileDescriptorCount();
    }
}
