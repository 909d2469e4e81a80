package io.verbena.host;

import io.verbena.base.RandomSource;
import io.verbena.base.Times;
import io.verbena.port.FaultyLinkPort;
import io.verbena.port.PacketFaults;
import io.verbena.tcp.CarriedTcp;
import io.verbena.tcp.LinkAddress;
import io.verbena.tcp.LinkTcp;
import io.verbena.tcp.TcpSettings;
import io.verbena.tcp.UdpTcp;
import io.verbena.verbs.IwarpOptions;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.TcpCarrier;
import io.verbena.verbs.VerbsException;
import java.io.IOException;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/** The TCP of the library with the carrier that the options name. */
final class OwnTcp {

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
    static void check(RnicOptions options) {
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
    static OwnTcp open(EngineLoop loop, RnicOptions options, PacketFaults faults, RandomSource random, long nowNs) {
        TcpSettings settings = settings(options.iwarp());
        return switch (options.iwarp().tcp()) {
            case UDP -> {
                OwnedPackets ports = new OwnedPackets(loop);
                yield new OwnTcp(
                        new UdpTcp(ports, UdpPaths.ofThisHost(), settings, random, nowNs),
                        _ -> ports.serve(),
                        () -> Times.NEVER);
            }
            case TUN, TAP -> {
                TunPort port = device(loop, options, faults.equals(PacketFaults.none()));
                yield overDevice(port, options, settings, faults, random, nowNs);
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

    private static TunPort device(EngineLoop loop, RnicOptions options, boolean large) {
        if (!(loop instanceof EpollLoop epoll)) {
            throw new VerbsException("A network device needs direct system calls. " + EpollLoop.obstacle());
        }
        String name = options.device().isEmpty() ? TcpCarrier.DEFAULT_DEVICE : options.device();
        try {
            return new TunPort(epoll, new TunDevice(name, options.iwarp().tcp() == TcpCarrier.TAP, large));
        } catch (IOException e) {
            throw new VerbsException("The TCP of the library cannot be used: " + Sentences.reason(e) + ".", e);
        }
    }

    private static OwnTcp overDevice(
            TunPort port,
            RnicOptions options,
            TcpSettings settings,
            PacketFaults faults,
            RandomSource random,
            long nowNs) {
        boolean opened = false;
        try {
            LinkAddress address = address(port.device(), options);
            if (faults.equals(PacketFaults.none())) {
                LinkTcp made = new LinkTcp(port, address, settings, random, nowNs);
                port.attach(made);
                opened = true;
                return new OwnTcp(made, _ -> {}, () -> Times.NEVER);
            }
            FaultyLinkPort faulty = new FaultyLinkPort(port, faults, random.nextLong(), nowNs);
            LinkTcp made = new LinkTcp(faulty, address, settings, random, nowNs);
            port.attach(made);
            opened = true;
            return new OwnTcp(made, timeNs -> turn(faulty, made, timeNs), faulty::nextDeadlineNs);
        } catch (IOException e) {
            throw new VerbsException("The network device cannot be watched: " + Sentences.reason(e) + ".", e);
        } catch (IllegalArgumentException e) {
            throw new VerbsException("The setting " + TcpCarrier.ADDRESS_SETTING + ": " + e.getMessage() + ".", e);
        } finally {
            if (!opened) {
                port.close();
            }
        }
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

    private static LinkAddress address(TunDevice device, RnicOptions options) {
        String chosen = options.settings().getOrDefault(TcpCarrier.ADDRESS_SETTING, "");
        return chosen.isEmpty()
                ? LinkAddress.after(device.address(), device.prefixBits())
                : LinkAddress.parse(chosen, device.address());
    }

    CarriedTcp streams() {
        return streams;
    }

    /** The engine over this TCP. */
    Driven under(Driven engine) {
        return engine.over(streams, first, deadlineNs);
    }
}
