package io.verbena.tools.holes;

import io.verbena.base.RandomSource;
import io.verbena.base.Times;
import io.verbena.port.ByteStream;
import io.verbena.port.SegmentStream;
import io.verbena.port.StreamEvents;
import io.verbena.port.StreamLoop;
import io.verbena.tcp.LinkTcp;
import io.verbena.tcp.link.LinkAddress;
import io.verbena.tcp.state.TcpSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.function.Consumer;

/** A host of a {@link HoleRun}: one end of the stream over the TCP of the library, driven as an engine drives it. */
final class HoleHost {

    /** Headers of IPv4 and TCP, with timestamps. */
    private static final int HEADER_BYTES = 52;

    private static final int PORT = 7471;
    private static final int PREFIX_BITS = 24;
    private static final int BYTE_BUDGET = 1 << 20;

    private final HoleEnd end;
    private final EndTaker taker;
    private final HoleLink link;
    private final LinkTcp tcp;
    private final InetSocketAddress address;
    private Optional<SegmentStream> stream = Optional.empty();

    /**
     * A host that is not connected.
     *
     * @param number 1 or 2
     * @param out receives the frames that it sends
     */
    HoleHost(int number, EndTaker taker, HolePath path, RandomSource random, Consumer<byte[]> out) {
        this.end = taker.end();
        this.taker = taker;
        address = new InetSocketAddress(InetAddress.ofLiteral("10.77.0." + number), PORT);
        link = new HoleLink(path.segmentBytes() + HEADER_BYTES, out);
        TcpSettings settings = TcpSettings.defaults().withBuffers(path.windowBytes(), path.windowBytes());
        InetAddress other = InetAddress.ofLiteral("10.77.0." + (3 - number));
        tcp = new LinkTcp(link, LinkAddress.of(address.getAddress(), PREFIX_BITS, other), settings, random, 0);
    }

    /** Waits for a connection. */
    void listen() throws IOException {
        tcp.listen(address, 1, this::begin);
    }

    void connect(HoleHost to) {
        tcp.connect(to.address, new StreamLoop.ConnectEvents() {
            @Override
            public void onConnected(ByteStream byteStream) {
                begin(byteStream);
            }

            @Override
            public void onConnectFailed(boolean refused, String sentence) {
                throw new IllegalStateException("The connection was not set up: " + sentence);
            }
        });
    }

    private void begin(ByteStream byteStream) {
        SegmentStream segmentStream = (SegmentStream) byteStream;
        tcp.attach(segmentStream, new StreamEvents() {
            @Override
            public void onReadable() {
                // Every turn receives.
            }

            @Override
            public void onWritable() {
                // Every turn writes.
            }
        });
        segmentStream.deliverSegments(0);
        stream = Optional.of(segmentStream);
    }

    /** A frame has arrived. */
    void arrive(byte[] frame) {
        link.arrive(frame);
        tcp.onReadable();
    }

    /** Receives and sends; returns whether there is more to do at this time. */
    boolean turn(long nowNs) {
        boolean worked = tcp.turn(nowNs) > 0;
        if (stream.isPresent()) {
            taker.nowNs(nowNs);
            try {
                worked |= stream.get().receive(taker, BYTE_BUDGET) > 0;
                worked |= end.transmit(stream.get(), nowNs);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        tcp.flush(nowNs);
        return worked || Times.due(tcp.nextDeadlineNs(), nowNs);
    }

    long nextDeadlineNs() {
        return tcp.nextDeadlineNs();
    }

    /** Bytes that arrived and that the TCP copied. */
    long bytesCopied() {
        return tcp.counters().bytesCopied();
    }
}
