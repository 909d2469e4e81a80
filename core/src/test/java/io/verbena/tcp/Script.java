package io.verbena.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.Slab;
import io.verbena.base.Times;
import io.verbena.base.TransmitList;
import io.verbena.port.ByteStream;
import io.verbena.port.SegmentTaker;
import io.verbena.port.StreamEvents;
import io.verbena.port.StreamLoop;
import io.verbena.tcp.flow.FlowKey;
import io.verbena.tcp.flow.IpAddress;
import io.verbena.tcp.state.TcpEnd;
import io.verbena.tcp.state.TcpSettings;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Runs a script of segments and calls against one connection of a {@link TcpHost}, in virtual time.
 *
 * <pre>
 *   +0     connect                            starts to connect; or listen
 *   +0     > S 0:0 mss 1000 sackOK            the engine sends exactly this, at this time
 *   +0.01  < S. 0:0 ack 1 win 5000 mss 1000   the peer's segment arrives
 *   +0     > . ack 1
 *   +0     write 2500                         the application writes; units N,N,... writes units
 *   +0     > . 1:1001 ack 1
 * </pre>
 *
 * <p>Times are seconds after the line before. Flags are S, F, R, P, U and a dot for ACK; numbers are relative to the initial sequence
 * numbers. An expected segment may be given in part: what is not stated is not compared, except that {@code P} may be left out. Other
 * calls: {@code read N}, {@code receive} (segments), {@code segments} (switch to them), {@code take all|none|first}, {@code withdraw FROM:TO} (at the
 * next segment that is offered), {@code
 * shutdown}, {@code close}, {@code abort}, {@code keepalive S}, {@code forged N SEGMENT} (from the source address N after that of the peer; the
 * answers are not part of the script), {@code relisten}, {@code cookie} (the SYN of the engine counts for {@code ack cookie}); other expectations: {@code state NAME}, {@code readable N},
 * {@code end}, {@code broken}, {@code cwnd N}, {@code connections N} (of the host), {@code copied N} (bytes in receive rings). After {@code lend},
 * packets stay in the memory of the carrier until {@code settle}.
 */
public final class Script {

    private static final double NS = 1e9;

    /** A timer may be set a little later than a script says, and a script states milliseconds. */
    private static final long TOLERANCE_NS = 3_000_000;

    private static final InetAddress LOCAL = FlowKey.inet(0x0a00_0001);
    private static final int REMOTE_ADDRESS = 0x0a00_0002;
    private static final InetAddress REMOTE = FlowKey.inet(REMOTE_ADDRESS);
    static final int LOCAL_PORT = 7471;
    private static final int REMOTE_PORT = 50_000;

    private final TcpHost host;
    private final TcpLoop loop;
    private final ScriptPeer peer;
    private final Deque<ScriptPeer.Sent> sent = new ArrayDeque<>();
    private final List<String> taken = new ArrayList<>();
    private final Taker taker = new Taker();
    private long nowNs;
    private final Slab lent = new Slab(1 << 17);
    private boolean lends;
    private int lentBytes;
    private int line;
    private @Nullable TcpStream stream;
    private @Nullable String failure;
    private StreamLoop.@Nullable Acceptor acceptor;

    /** What the engine delivers after {@code segments}. */
    private final class Taker implements SegmentTaker {
        private String mode = "all";
        private long inOrder;
        private long from;
        private long to;
        private long[] withdrawal = {};
        private boolean withdraws;

        @Override
        public boolean nextWithdrawn() {
            withdraws = !withdraws && withdrawal.length > 0;
            return withdraws;
        }

        @Override
        public long withdrawnFrom() {
            return withdrawal[0];
        }

        @Override
        public long withdrawnTo() {
            long last = withdrawal[1];
            withdrawal = new long[0];
            return last;
        }

        @Override
        public void onSegment(long streamOffset, Slab slab, int first, int last) {
            long end = streamOffset + (last - first);
            taken.add(streamOffset + ":" + end);
            from = streamOffset;
            to = switch (mode) {
                case "none" -> streamOffset;
                case "first" -> Math.min(end, streamOffset + 500);
                case "inorder" -> streamOffset <= inOrder ? end : streamOffset;
                default -> end;
            };
            if (from <= inOrder) {
                inOrder = Math.max(inOrder, to);
            }
        }

        @Override
        public long takenFrom() {
            return from;
        }

        @Override
        public long takenTo() {
            return to;
        }

        @Override
        public void onInOrder(long streamOffset) {
            taken.add("inorder " + streamOffset);
            inOrder = Math.max(inOrder, streamOffset);
        }
    }

    private Script(TcpSettings settings, int peerSequence) {
        nowNs = 1_000_000_000_000L;
        host = new TcpHost(settings, LOCAL, false, new FixedRandom(), nowNs);
        loop = host.newLoop(() -> {});
        peer = new ScriptPeer(peerSequence);
    }

    /** The settings of most scripts: segments of 1000 bytes, Reno, SACK, no timestamps. */
    public static TcpSettings settings() {
        return TcpSettings.defaults()
                .withMtu(1040)
                .withBuffers(64 * 1024, 128 * 1024)
                .withCongestion(TcpSettings.Congestion.NEW_RENO)
                .withFeatures(new TcpSettings.Features(true, false, false));
    }

    static void run(String text) {
        run(settings(), text);
    }

    public static void run(TcpSettings settings, String text) {
        run(settings, 0x0fff_0000, text);
    }

    /** Runs a script whose peer has this initial sequence number. */
    static void run(TcpSettings settings, int peerSequence, String text) {
        Script script = new Script(settings, peerSequence);
        for (String each : text.split("\n")) {
            script.line++;
            String command = each.replaceAll("//.*", "").strip();
            if (!command.isEmpty()) {
                script.step(command);
            }
        }
        script.pump();
        assertTrue(script.sent.isEmpty(), () -> "not in the script: " + script.sent);
    }

    /** The first lines of most scripts: an accepted connection of a peer with this window and these options. */
    public static String accepted(int window, String options) {
        return """
            +0 listen
            +0 < S 0:0 win %d %s
            +0 > S. 0:0 ack 1
            +0.01 < . 1:1 ack 1 win %d
            +0 state ESTABLISHED
            """.formatted(window, options, window);
    }

    private String where(String command) {
        return "line " + line + " (" + command + "): ";
    }

    private void step(String command) {
        String[] words = command.split("\\s+", 3);
        advance((long) (Double.parseDouble(words[0]) * NS));
        String rest = words.length > 2 ? words[2] : "";
        switch (words[1]) {
            case "<" -> {
                arrive(peer.packet(rest, REMOTE_ADDRESS));
                pump();
            }
            case ">" -> expect(command, rest);
            default -> {
                call(words[1], rest, command);
                pump();
            }
        }
    }

    private void arrive(byte[] packet) {
        MemorySegment bytes = MemorySegment.ofArray(packet);
        if (lends) {
            MemorySegment.copy(bytes, 0, lent.segment(), lentBytes, packet.length);
            host.onLentPacket(lent, lentBytes, lentBytes + packet.length, false, nowNs);
            lentBytes += packet.length;
        } else {
            host.onPacket(bytes, 0, packet.length, false, nowNs);
        }
    }

    /** Lets time pass; what is sent at deadlines meanwhile is kept with its time. */
    private void advance(long deltaNs) {
        long untilNs = nowNs + deltaNs;
        for (int i = 0; i < 10_000; i++) {
            long deadlineNs = host.nextDeadlineNs();
            if (!Times.due(deadlineNs, untilNs)) {
                break;
            }
            nowNs = deadlineNs - nowNs > 0 ? deadlineNs : nowNs;
            host.onDeadline(nowNs);
            pump();
        }
        nowNs = untilNs;
    }

    private void pump() {
        loop.report();
        while (host.transmit(nowNs)) {
            if (host.out().flow().remote().equals(IpAddress.of(REMOTE))) {
                sent.addLast(peer.parse(host.out(), nowNs));
            }
        }
        loop.report();
    }

    private void expect(String command, String text) {
        ScriptPeer.Sent packet = sent.pollFirst();
        if (packet == null) {
            throw new AssertionError(where(command) + "nothing was sent");
        }
        long lateNs = Math.abs(packet.atNs() - nowNs);
        assertTrue(
                lateNs <= TOLERANCE_NS,
                () -> where(command) + packet + " was sent " + (packet.atNs() - nowNs) / NS + " s from now");
        String difference = packet.compare(text);
        assertEquals("", difference, () -> where(command) + "sent " + packet);
    }

    private TcpStream stream() {
        TcpStream currentStream = stream;
        if (currentStream == null) {
            throw new AssertionError("line " + line + ": no connection yet");
        }
        return currentStream;
    }

    private void call(String name, String rest, String command) {
        try {
            switch (name) {
                case "listen" -> listen();
                case "connect" -> connect();
                case "write" -> write(Integer.parseInt(rest), command);
                case "units" -> units(rest);
                case "read" -> assertEquals(Integer.parseInt(rest), read(Integer.parseInt(rest)), where(command));
                case "bytes" -> bytes(rest, command);
                case "readable" ->
                    assertEquals(
                            Integer.parseInt(rest),
                            stream().connection().receiver().readable(),
                            where(command));
                case "segments" -> stream().deliverSegments(0);
                case "take" -> taker.mode = rest;
                case "withdraw" ->
                    taker.withdrawal = Stream.of(rest.split(":"))
                            .mapToLong(Long::parseLong)
                            .toArray();
                case "receive" -> receive(rest, command);
                case "shutdown" -> stream().shutdownOutput();
                case "close" -> stream().close(false);
                case "stopped" -> nowNs += (long) (Double.parseDouble(rest) * NS); // the process, for this long
                case "abort" -> stream().close(true);
                case "keepalive" -> stream().keepAlive((long) (Double.parseDouble(rest) * NS));
                case "end" -> assertEquals(ByteStream.END, read(1), where(command));
                case "broken" -> broken(rest, command);
                case "state" -> assertEquals(rest, state(), where(command));
                case "cwnd" ->
                    assertEquals(
                            Long.parseLong(rest), stream().connection().sender().congestionWindow(), where(command));
                case "mtu" -> icmp(rest);
                case "relisten" -> {
                    Objects.requireNonNull(acceptor).close();
                    listen();
                }
                case "lend" -> lends = true;
                case "settle" -> {
                    host.settle();
                    lent.segment().fill((byte) 0xee);
                    lentBytes = 0;
                }
                case "copied" ->
                    assertEquals(Long.parseLong(rest), host.counters().bytesCopied(), where(command));
                case "cookie" -> peer.keepCookie();
                case "connections" -> assertEquals(Integer.parseInt(rest), host.connectionCount(), where(command));
                case "forged" -> {
                    String[] words = rest.split("\\s+", 2);
                    arrive(peer.packet(words[1], REMOTE_ADDRESS + Integer.parseInt(words[0])));
                }
                default -> throw new AssertionError(where(command) + "unknown");
            }
        } catch (IOException e) {
            throw new AssertionError(where(command) + e, e);
        }
    }

    private String state() {
        String failed = failure;
        return failed != null ? failed : stream().connection().state().name();
    }

    private void icmp(String rest) {
        String[] words = rest.split("\\s+");
        arrive(peer.tooBig(Integer.parseInt(words[0]), Long.parseLong(words[1])));
    }

    private void broken(String reason, String command) {
        TcpEnd end = stream().connection().end();
        assertEquals(reason, end == null ? "" : end.name(), where(command));
    }

    private void receive(String expected, String command) throws IOException {
        taken.clear();
        int count = stream().receive(taker, 1 << 20);
        String found = (count == ByteStream.END ? "end " : "") + String.join(" ", taken);
        assertEquals(expected, found.strip(), where(command));
    }

    private final StreamEvents quiet = new StreamEvents() {
        @Override
        public void onReadable() {}

        @Override
        public void onWritable() {}
    };

    private void listen() throws IOException {
        acceptor = loop.listen(new InetSocketAddress(LOCAL, LOCAL_PORT), 2, accepted -> {
            stream = (TcpStream) accepted;
            loop.attach(accepted, quiet);
        });
        peer.ports(LOCAL_PORT, REMOTE_PORT);
    }

    private void connect() {
        loop.connect(new InetSocketAddress(REMOTE, REMOTE_PORT), new StreamLoop.ConnectEvents() {
            @Override
            public void onConnected(ByteStream byteStream) {
                stream = (TcpStream) byteStream;
                loop.attach(byteStream, quiet);
            }

            @Override
            public void onConnectFailed(boolean refused, String sentence) {
                failure = refused ? "REFUSED" : sentence;
            }
        });
        peer.ports(0, REMOTE_PORT);
    }

    private int read(int count) throws IOException {
        return stream().read(ByteBuffer.allocateDirect(count));
    }

    /** Reads bytes and compares them with a text such as {@code 1x500,2x1000}. */
    private void bytes(String runs, String command) throws IOException {
        for (String run : runs.split(",")) {
            int count = Integer.parseInt(run.split("x")[1]);
            ByteBuffer buffer = ByteBuffer.allocateDirect(count);
            assertEquals(count, stream().read(buffer), where(command));
            for (int i = 0; i < count; i++) {
                assertEquals(Integer.parseInt(run.split("x")[0]), buffer.get(i), where(command) + "byte " + i);
            }
        }
    }

    private void write(int count, String command) throws IOException {
        assertEquals(count, stream().write(ByteBuffer.allocateDirect(count)), where(command));
    }

    private void units(String lengths) throws IOException {
        TransmitList list = new TransmitList(64 * 1024);
        for (String each : lengths.split(",")) {
            list.reserve(Integer.parseInt(each));
            list.endUnit(0);
        }
        assertEquals(list.bytes(), stream().write(list));
    }
}
