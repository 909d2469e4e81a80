package io.verbena.host.link;

import io.verbena.base.RandomSource;
import io.verbena.base.Times;
import io.verbena.host.engine.Driven;
import io.verbena.host.engine.EngineLoop;
import io.verbena.host.socket.OwnedPackets;
import io.verbena.host.socket.UdpPaths;
import io.verbena.host.system.Sentences;
import io.verbena.port.PacketLoop;
import io.verbena.port.capture.Capture;
import io.verbena.port.capture.CapturingLinkPort;
import io.verbena.port.capture.CapturingPacketLoop;
import io.verbena.port.faults.FaultyLinkPort;
import io.verbena.port.faults.PacketFaults;
import io.verbena.tcp.CarriedTcp;
import io.verbena.tcp.LinkTcp;
import io.verbena.tcp.UdpTcp;
import io.verbena.tcp.state.TcpSettings;
import io.verbena.verbs.IwarpOptions;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.TcpCarrier;
import io.verbena.verbs.VerbsException;
import io.verbena.wire.PcapngWriter;
import java.io.IOException;
import java.util.Optional;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/** The TCP of the library with the carrier that the options name. */
public final class OwnTcp {

    /** Property that, with the value "off", disables large segments and missing checksums of devices. */
    private static final String OFFLOAD = "io.verbena.tcp.offload";

    /** Window of a connection, and its send buffer. */
    private static final int BUFFER_BYTES = 2 << 20;

    private final CarriedTcp streams;
    private final LongConsumer first;
    private final LongSupplier deadlineNs;

    /** With what happens before each turn, and when that needs one. */
    private OwnTcp(CarriedTcp streams, LongConsumer first, LongSupplier deadlineNs) {
        this.streams = streams;
        this.first = first;
        this.deadlineNs = deadlineNs;
    }

    /** Checks what can be checked before anything is opened. */
    public static void check(RnicOptions options) {
        if (options.iwarp().tcp() != TcpCarrier.KERNEL && options.engines() > 1) {
            throw new IllegalArgumentException("The TCP of the library has one engine, not " + options.engines()
                    + ": leave out the number of engines, or use the TCP of the system");
        }
    }

    /**
     * Opens the carrier.
     *
     * @throws VerbsException if it cannot be opened, with what to do
     */
    public static OwnTcp open(
            EngineLoop loop,
            RnicOptions options,
            PacketFaults faults,
            Optional<Capture> capture,
            RandomSource random,
            long nowNs) {
        TcpSettings settings = settings(options.iwarp());
        return switch (options.iwarp().tcp()) {
            case UDP -> {
                OwnedPackets ports = new OwnedPackets(loop);
                PacketLoop packets = capture.<PacketLoop>map(each -> new CapturingPacketLoop(ports, each))
                        .orElse(ports);
                yield new OwnTcp(
                        new UdpTcp(packets, UdpPaths.ofThisHost(), settings, random, nowNs),
                        _ -> ports.serve(),
                        () -> Times.NEVER);
            }
            case TUN, TAP, PACKET, QEMU -> {
                boolean large = !System.getProperty(OFFLOAD, "").equals("off");
                CarrierLink link = CarrierLink.open(loop, options, large && faults.equals(PacketFaults.none()));
                yield overLink(captured(link, capture), settings, faults, random, nowNs);
            }
            case KERNEL -> throw new IllegalArgumentException("the TCP of the system has no carrier");
        };
    }

    private static TcpSettings settings(IwarpOptions options) {
        int requested = options.socketBufferBytes();
        int bytes = requested == 0
                ? BUFFER_BYTES
                : Math.clamp(requested, TcpSettings.LEAST_BUFFER, TcpSettings.MOST_BUFFER);
        return TcpSettings.defaults().withBuffers(bytes, bytes);
    }

    private static CarrierLink captured(CarrierLink link, Optional<Capture> capture) {
        return capture.map(each -> new CarrierLink(
                        new CapturingLinkPort(link.port(), each), link.address(), link.attachment(), link.serve()))
                .orElse(link);
    }

    private static OwnTcp overLink(
            CarrierLink link, TcpSettings settings, PacketFaults faults, RandomSource random, long nowNs) {
        boolean opened = false;
        try {
            OwnTcp ownTcp = faults.equals(PacketFaults.none())
                    ? clean(link, settings, random, nowNs)
                    : faulty(link, settings, faults, random, nowNs);
            opened = true;
            return ownTcp;
        } catch (IOException | IllegalArgumentException e) {
            throw new VerbsException("The TCP of the library cannot be used: " + Sentences.reason(e), e);
        } finally {
            if (!opened) {
                link.port().close();
            }
        }
    }

    private static OwnTcp clean(CarrierLink link, TcpSettings settings, RandomSource random, long nowNs)
            throws IOException {
        LinkTcp linkTcp = new LinkTcp(link.port(), link.address(), settings, random, nowNs);
        link.attachment().to(linkTcp);
        return new OwnTcp(linkTcp, _ -> link.serve().run(), () -> Times.NEVER);
    }

    private static OwnTcp faulty(
            CarrierLink link, TcpSettings settings, PacketFaults faults, RandomSource random, long nowNs)
            throws IOException {
        FaultyLinkPort faulty = new FaultyLinkPort(link.port(), faults, random.nextLong(), nowNs);
        LinkTcp linkTcp = new LinkTcp(faulty, link.address(), settings, random, nowNs);
        link.attachment().to(linkTcp);
        return new OwnTcp(
                linkTcp,
                timeNs -> {
                    link.serve().run();
                    turn(faulty, linkTcp, timeNs);
                },
                faulty::nextDeadlineNs);
    }

    private static void turn(FaultyLinkPort faulty, LinkTcp tcp, long timeNs) {
        try {
            if (faulty.turn(timeNs)) {
                tcp.onReadable();
            }
        } catch (IOException e) {
            tcp.onReadable(); // the next receive reports it
        }
    }

    /** The kind of packets in a capture. */
    public static int linkType(RnicOptions options) {
        return options.iwarp().tcp() == TcpCarrier.TUN ? PcapngWriter.RAW_IP : PcapngWriter.ETHERNET;
    }

    public CarriedTcp streams() {
        return streams;
    }

    /** The engine over this TCP. */
    public Driven under(Driven engine) {
        return engine.over(streams, first, deadlineNs);
    }
}
