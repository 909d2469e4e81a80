package io.verbena.sim;

import io.verbena.port.ByteStream;
import io.verbena.port.StreamEvents;
import io.verbena.port.StreamLoop;
import io.verbena.wire.FpduPrinter;
import io.verbena.wire.MpaStartFrame;
import io.verbena.wire.RdmapOpcode;
import io.verbena.wire.TerminateCode;
import io.verbena.wire.TerminateReader;
import io.verbena.wire.Ulpdu;
import io.verbena.wire.UlpduOutcome;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * A peer without an RNIC: sends exact bytes to one, and checks the response. Each call is a line of a script; virtual
 * time passes while the script waits.
 *
 * <pre>{@code
 * ScriptedPeer peer = ScriptedPeer.connects(world, server.address(7471));
 * peer.sends(StartFrame.request().withCrc());
 * … the RNIC's program accepts …
 * peer.expectsReply();
 * peer.sends(Messages.write(0x1234, 0, payload));
 * peer.expectsTerminate(TerminateCode.DDP_TAGGED_INVALID_STAG);
 * peer.expectsEnd();
 * }</pre>
 */
public final class ScriptedPeer implements StreamEvents, AutoCloseable {

    /** Time that an expectation waits before it fails. */
    private static final long PATIENCE_NS = 20_000_000_000L;

    /** Time between pieces that must not arrive together: long against every delay of a calm world. */
    private static final long APART_NS = 1_000_000;

    private final World world;
    private final StreamLoop loop;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(64 * 1024);
    private final List<String> heard = new ArrayList<>();
    private Optional<ByteStream> stream = Optional.empty();
    private Optional<String> refusal = Optional.empty();

    private byte[] bytes = new byte[0];
    private byte[] lastPayload = new byte[0];
    private boolean ended;
    private boolean reset;
    private Optional<StartFrame> ours = Optional.empty();
    private Optional<StartFrame> theirs = Optional.empty();
    private Framing out = new Framing(false, false);
    private Framing in = new Framing(false, false);

    private ScriptedPeer(World world) {
        this.world = world;
        this.loop = world.addBareHost().streams(0);
    }

    /** A peer that connects, on a host of its own; waits until the TCP connection is established. */
    public static ScriptedPeer connects(World world, InetSocketAddress to) {
        ScriptedPeer peer = new ScriptedPeer(world);
        peer.loop.connect(to, new StreamLoop.ConnectEvents() {
            @Override
            public void onConnected(ByteStream connected) {
                peer.attach(connected);
            }

            @Override
            public void onConnectFailed(boolean refused, String sentence) {
                peer.refusal = Optional.of(sentence);
            }
        });
        peer.await(() -> peer.stream.isPresent(), "a connection to " + to);
        return peer;
    }

    /** A listening socket for peers that an RNIC connects to. */
    public static final class Site {
        private final ScriptedPeer peer;
        private final InetSocketAddress address;

        private Site(ScriptedPeer peer, InetSocketAddress address) {
            this.peer = peer;
            this.address = address;
        }

        /** Where an RNIC is to connect to. */
        public InetSocketAddress address() {
            return address;
        }

        /** The peer, once an RNIC has connected; waits for that. */
        public ScriptedPeer accepts() {
            peer.await(() -> peer.stream.isPresent(), "a connection");
            return peer;
        }
    }

    /** A place where one RNIC may connect. */
    public static Site listens(World world) {
        ScriptedPeer peer = new ScriptedPeer(world);
        try {
            StreamLoop.Acceptor acceptor =
                    peer.loop.listen(new InetSocketAddress(0), 1, accepted -> peer.attach(accepted));
            return new Site(peer, (InetSocketAddress) acceptor.localAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void attach(ByteStream connected) {
        stream = Optional.of(connected);
        loop.attach(connected, this);
    }

    private ByteStream stream() {
        return stream.orElseThrow(() -> new AssertionError("not connected: " + refusal));
    }

    // Sending.

    /** Sends bytes as they are, all at once. */
    public ScriptedPeer sendsRaw(byte... raw) {
        ByteBuffer source = ByteBuffer.allocateDirect(raw.length).put(raw).flip();
        await(
                () -> {
                    try {
                        stream().write(source);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                    return !source.hasRemaining();
                },
                "a writable stream");
        return this;
    }

    /** Sends bytes in pieces of this size, each in a TCP segment of its own. */
    public ScriptedPeer sendsInPieces(int pieceBytes, byte... raw) {
        for (int at = 0; at < raw.length; at += pieceBytes) {
            sendsRaw(Arrays.copyOfRange(raw, at, Math.min(raw.length, at + pieceBytes)));
            passes(APART_NS);
        }
        return this;
    }

    /** Sends an MPA Request or Reply. */
    public ScriptedPeer sends(StartFrame frame) {
        said(frame);
        return sendsRaw(frame.bytes());
    }

    /** Records a start-up frame as sent, for scripts that send its bytes themselves. */
    public ScriptedPeer said(StartFrame frame) {
        ours = Optional.of(frame);
        agree();
        return this;
    }

    /** Sends ULPDUs, each in an FPDU as was agreed, all in one segment. */
    public ScriptedPeer sends(byte[]... ulpdus) {
        return sendsRaw(framed(ulpdus));
    }

    /** The FPDUs of ULPDUs at the current position of the stream, for scripts that send the bytes themselves. */
    public byte[] framed(byte[]... ulpdus) {
        byte[] all = new byte[0];
        for (byte[] ulpdu : ulpdus) {
            all = joined(all, out.frame(ulpdu));
        }
        return all;
    }

    /** An FPDU whose length field differs from the length of the ULPDU. */
    public byte[] framedAs(int lengthField, byte... ulpdu) {
        return out.frame(ulpdu, lengthField);
    }

    /** The concatenation of byte arrays. */
    public static byte[] joined(byte[]... parts) {
        byte[] all = new byte[0];
        for (byte[] part : parts) {
            int at = all.length;
            all = Arrays.copyOf(all, at + part.length);
            System.arraycopy(part, 0, all, at, part.length);
        }
        return all;
    }

    /** Ends its direction (FIN). */
    public ScriptedPeer ends() {
        try {
            stream().shutdownOutput();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return this;
    }

    /** Breaks the connection (RST). */
    public ScriptedPeer resets() {
        stream().close(true);
        return this;
    }

    /** Advances virtual time. */
    public ScriptedPeer passes(long durationNs) {
        world.runFor(durationNs);
        return this;
    }

    // Receiving.

    @Override
    public void onReadable() {
        try {
            int count;
            do {
                buffer.clear();
                count = stream().read(buffer);
                if (count > 0) {
                    byte[] more = new byte[count];
                    buffer.flip().get(more);
                    bytes = joined(bytes, more);
                }
            } while (count > 0);
            if (count == ByteStream.END) {
                ended = true;
                stream().wantReadable(false);
            }
        } catch (IOException e) {
            reset = true;
            stream().wantReadable(false);
        }
    }

    @Override
    public void onWritable() {}

    /** Expects an MPA Request. */
    public StartFrame expectsRequest() {
        return startFrame(MpaStartFrame.Kind.REQUEST);
    }

    /** Expects an MPA Reply. */
    public StartFrame expectsReply() {
        return startFrame(MpaStartFrame.Kind.REPLY);
    }

    private StartFrame startFrame(MpaStartFrame.Kind kind) {
        await(
                () -> MpaStartFrame.check(MemorySegment.ofArray(bytes), 0, bytes.length, kind)
                        != MpaStartFrame.Check.INCOMPLETE,
                "an MPA " + kind);
        MpaStartFrame.Check check = MpaStartFrame.check(MemorySegment.ofArray(bytes), 0, bytes.length, kind);
        if (check != MpaStartFrame.Check.OK) {
            throw failure("an MPA " + kind + ", and it is " + check);
        }
        StartFrame frame = StartFrame.read(bytes);
        drop(frame.bytes().length);
        heard.add(frame.toString());
        theirs = Optional.of(frame);
        agree();
        return frame;
    }

    /** When both frames are known, both directions are framed accordingly. */
    private void agree() {
        if (ours.isPresent() && theirs.isPresent()) {
            boolean crc = ours.get().crc() || theirs.get().crc();
            framing(crc, theirs.get().markers(), ours.get().markers());
        }
    }

    /** Sets the framing of FPDUs from here on, for scripts that do not wait for start-up. */
    public ScriptedPeer framing(boolean crc, boolean sendMarkers, boolean receiveMarkers) {
        out = new Framing(crc, sendMarkers);
        in = new Framing(crc, receiveMarkers);
        return this;
    }

    /** Expects an FPDU with correct pad, markers and CRC; returns its ULPDU. */
    public byte[] expectsUlpdu() {
        await(() -> in.wireLength(bytes).isPresent(), "an FPDU");
        int length = in.wireLength(bytes).orElseThrow();
        byte[] ulpdu = in.unframe(Arrays.copyOf(bytes, length));
        drop(length);
        heard.add(new FpduPrinter()
                .describeUlpdu(MemorySegment.ofArray(ulpdu), 0, ulpdu.length, new StringBuilder())
                .toString());
        return ulpdu;
    }

    /** Expects a message segment with this opcode; the result has its fields, and {@link #payload} its payload. */
    public Ulpdu expects(RdmapOpcode opcode) {
        byte[] bytesOfIt = expectsUlpdu();
        Ulpdu ulpdu = new Ulpdu();
        UlpduOutcome outcome = ulpdu.decode(MemorySegment.ofArray(bytesOfIt), 0, bytesOfIt.length);
        if (outcome != UlpduOutcome.OK || ulpdu.opcode() != opcode) {
            throw failure("a " + opcode);
        }
        lastPayload = Arrays.copyOfRange(bytesOfIt, (int) ulpdu.payloadOffset(), bytesOfIt.length);
        return ulpdu;
    }

    /** Payload of the segment that {@link #expects} took last. */
    public byte[] payload() {
        return lastPayload.clone();
    }

    /** Expects a Terminate message with this reason. */
    public ScriptedPeer expectsTerminate(TerminateCode code) {
        expects(RdmapOpcode.TERMINATE);
        TerminateReader reader = new TerminateReader();
        reader.read(MemorySegment.ofArray(lastPayload), 0, lastPayload.length);
        if (reader.code() != code) {
            throw failure("Terminate with " + code + ", and it is " + reader.code());
        }
        return this;
    }

    /** Expects that the other side closes its direction gracefully (FIN) without sending more. */
    public ScriptedPeer expectsEnd() {
        await(() -> ended || reset, "the end");
        if (reset || bytes.length > 0) {
            throw failure("the end");
        }
        return this;
    }

    /** The other side must break the connection (RST). */
    public ScriptedPeer expectsReset() {
        await(() -> reset, "a reset");
        return this;
    }

    /** Expects that the other side closes, gracefully or by a reset, without sending more. */
    public ScriptedPeer expectsClose() {
        await(() -> ended || reset, "the end or a reset");
        if (bytes.length > 0) {
            throw failure("the end");
        }
        return this;
    }

    /** Expects that nothing arrives for this time. */
    public ScriptedPeer expectsNothingFor(long durationNs) {
        int before = bytes.length;
        boolean endedBefore = ended || reset;
        world.runFor(durationNs);
        if (bytes.length > before || (ended || reset) && !endedBefore) {
            throw failure("nothing");
        }
        return this;
    }

    private void drop(int count) {
        bytes = Arrays.copyOfRange(bytes, count, bytes.length);
    }

    private void await(BooleanSupplier condition, String what) {
        if (!world.runUntil(() -> condition.getAsBoolean() || refusal.isPresent(), PATIENCE_NS)
                || refusal.isPresent()) {
            throw failure(what);
        }
    }

    private AssertionError failure(String expected) {
        int shown = Math.min(bytes.length, 64);
        return new AssertionError("expected " + expected + "; received " + heard + ", then " + bytes.length + " bytes "
                + HexFormat.of().formatHex(bytes, 0, shown) + (ended ? ", then the end" : "")
                + (reset ? ", then a reset" : "")
                + refusal.map(sentence -> ", " + sentence).orElse(""));
    }

    /** Closes the stream if it is still open. */
    @Override
    public void close() {
        stream.ifPresent(open -> open.close(false));
    }
}
